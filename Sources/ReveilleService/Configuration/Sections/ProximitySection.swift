// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Varlink

extension Configuration {
    /// Settings for proximity.
    package struct Proximity: Sendable {
        /// The time between samples while a subscriber is in the foreground.
        package var sampleInterval: Duration = .milliseconds(700)
        /// The smallest raw value that means near; `nil` for the device's own level.
        package var nearLevel: Double?

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
}
