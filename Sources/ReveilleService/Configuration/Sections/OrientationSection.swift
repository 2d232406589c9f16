// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleWatchers
import Varlink

/// The section `orientation` of the configuration.
extension OrientationWatcher.Settings {
    mutating func read(_ section: ConfigurationSection) throws(ConfigurationError) {
        try section.seconds("sampleInterval", into: &sampleInterval)
        try section.seconds("settle", atLeast: 0, into: &settle)
        try section.text("frame", "auto, hid or iio-doc") { OrientationFrame(rawValue: $0) }
            .map { frame = $0 }
        try section.text("matrix", "nine numbers as in \"1, 0, 0; 0, 1, 0; 0, 0, 1\"") { MountMatrix($0) }
            .map { matrix = $0 }
    }

    var json: JSON {
        [
            "sampleInterval": Configuration.seconds(sampleInterval), "settle": Configuration.seconds(settle),
            "frame": .string(frame.rawValue),
            "matrix": matrix.map { .string($0.description) } ?? .null,
        ]
    }
}
