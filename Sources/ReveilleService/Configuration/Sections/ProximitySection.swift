// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleWatchers
import Varlink

/// The section `proximity` of the configuration.
extension ProximityWatcher.Settings {
    mutating func read(_ section: ConfigurationSection) throws(ConfigurationError) {
        try section.seconds("sampleInterval", into: &sampleInterval)
        var level = nearLevel ?? 0
        try section.number("nearLevel", in: 0...Double(Int32.max), into: &level)
        nearLevel = level > 0 ? level : nil
    }

    var json: JSON {
        [
            "sampleInterval": Configuration.seconds(sampleInterval),
            "nearLevel": nearLevel.map(Configuration.number) ?? .null,
        ]
    }
}
