// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleTesting

/// A change of the demonstration's phone.
struct DemoScene {
    let title: String
    let aspect: Aspect
    let change: (SyntheticPhone) throws -> Void

    /// A mixed sequence of dozens of changes of all aspects.
    static var all: [DemoScene] {
        var scenes: [DemoScene] = []
        for hour in 0..<4 {
            scenes += [
                level(79 - 3 * hour), pose([.landscapeLeft, .faceUp, .landscapeRight, .portraitUpsideDown][hour]),
                near(true), level(78 - 3 * hour), setting(volume: hour + 1, theme: hour), pose(.portrait),
                near(false), level(77 - 3 * hour), setting(volume: hour + 1, theme: hour + 1),
            ]
            if hour % 2 == 0 { scenes.append(language(["de_DE.UTF-8", "", "fr_FR.UTF-8"][hour])) }
            if hour == 1 { scenes.append(DemoScene(title: "plugged in", aspect: .battery) { try $0.plugIn() }) }
            if hour == 2 { scenes.append(DemoScene(title: "unplugged", aspect: .battery) { try $0.unplug() }) }
        }
        return scenes + [language("es_ES.UTF-8"), pose(.faceDown), near(true)]
    }

    private static func level(_ percent: Int) -> DemoScene {
        DemoScene(title: "the battery drains", aspect: .battery) { $0.battery.level = Double(percent) / 100 }
    }

    private static func pose(_ pose: Orientation.Pose) -> DemoScene {
        DemoScene(title: "turned", aspect: .orientation) { try $0.rotate(to: pose) }
    }

    private static func near(_ isNear: Bool) -> DemoScene {
        DemoScene(title: isNear ? "held to an ear" : "moved away", aspect: .proximity) { try $0.setNear(isNear) }
    }

    private static func language(_ name: String) -> DemoScene {
        DemoScene(title: "the language changes", aspect: .locale) { try $0.setLocale(name) }
    }

    private static func setting(volume: Int, theme: Int) -> DemoScene {
        DemoScene(title: "a setting is saved", aspect: .defaults) { phone in
            try phone.writeSettings("{\"volume\": \(volume), \"theme\": \(theme)}")
        }
    }
}
