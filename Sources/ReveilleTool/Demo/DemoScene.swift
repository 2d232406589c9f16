// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleTesting

/// A change of the demonstration's phone, or of the state that the demonstration publishes.
struct DemoScene {
    /// The name of the published state.
    static let player: Aspect = "org.example.player"

    let title: String
    let aspect: Aspect
    let change: (SyntheticPhone, Device) async throws -> Void

    /// A mixed sequence of dozens of changes of all aspects.
    static var all: [DemoScene] {
        var scenes: [DemoScene] = []
        for hour in 0..<4 {
            scenes += [
                volume(60 + hour), level(levels[hour][0]),
                pose([.landscapeLeft, .faceUp, .landscapeRight, .portraitUpsideDown][hour]),
                near(true), volume(10), level(levels[hour][1]), setting(volume: hour + 1, theme: hour), pose(.portrait),
                near(false), volume(50 + hour), level(levels[hour][2]), setting(volume: hour + 1, theme: hour + 1),
            ]
            if hour % 2 == 0 { scenes.append(language(["de_DE.UTF-8", "", "fr_FR.UTF-8"][hour])) }
            if hour == 1 {
                scenes.append(DemoScene(title: "plugged in", aspect: .battery) { phone, _ in try phone.plugIn() })
            }
            if hour == 2 {
                scenes.append(DemoScene(title: "unplugged", aspect: .battery) { phone, _ in try phone.unplug() })
            }
        }
        return scenes + [language("es_ES.UTF-8"), volume(20), pose(.faceDown), near(true)]
    }

    /// The levels of each hour in percent. The charger is plugged in between the second hour and the end of the third.
    private static let levels = [[79, 78, 77], [76, 75, 74], [80, 84, 88], [87, 86, 85]]

    private static func level(_ percent: Int) -> DemoScene {
        let charges = levels[2].contains(percent)
        return DemoScene(title: charges ? "the battery charges" : "the battery drains", aspect: .battery) { phone, _ in
            phone.battery.level = Double(percent) / 100
        }
    }

    private static func pose(_ pose: Orientation.Pose) -> DemoScene {
        DemoScene(title: "turned", aspect: .orientation) { phone, _ in try phone.rotate(to: pose) }
    }

    private static func near(_ isNear: Bool) -> DemoScene {
        DemoScene(title: isNear ? "held to an ear" : "moved away", aspect: .proximity) { phone, _ in
            try phone.setNear(isNear)
        }
    }

    private static func volume(_ percent: Int) -> DemoScene {
        DemoScene(title: "a player changes its volume", aspect: player) { _, device in
            try await device.publish(player, ["volume": percent])
        }
    }

    private static func language(_ name: String) -> DemoScene {
        DemoScene(title: "the language changes", aspect: .locale) { phone, _ in try phone.setLocale(name) }
    }

    private static func setting(volume: Int, theme: Int) -> DemoScene {
        DemoScene(title: "a setting is saved", aspect: .defaults) { phone, _ in
            try phone.writeSettings("{\"volume\": \(volume), \"theme\": \(theme)}")
        }
    }
}
