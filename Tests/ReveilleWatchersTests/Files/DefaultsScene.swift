// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWatchers

/// A settings watcher in a scene with the directory /home/u/.config.
struct DefaultsScene {
    let scene: Scene
    let watcher: DefaultsWatcher

    init(paths: [String] = ["~/.config"], _ prepare: (Scene) -> Void = { _ in }) throws {
        scene = try Scene()
        scene.makeDirectory("/home/u/.config/app")
        prepare(scene)
        let settings = FileSettings(paths: paths, root: scene.root, home: "/home/u")
        watcher = try DefaultsWatcher(loop: scene.loop, settings: settings, context: scene.context)
        watcher.pace = .live
    }

    var reading: Defaults {
        if case .defaults(let reading)? = scene.readings.last { reading } else { Defaults(domains: []) }
    }

    var keys: [String: [String]] {
        Dictionary(reading.domains.map { ($0.name, $0.keys) }) { $1 }
    }

    func fingerprint(_ domain: String, _ key: String) -> UInt64? {
        reading.domains.first { $0.name == domain }?.values[key]
    }
}
