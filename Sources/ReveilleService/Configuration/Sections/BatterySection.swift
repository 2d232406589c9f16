// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Varlink

extension Configuration {
    /// Settings for the battery.
    package struct Battery: Sendable {
        /// The time between reads without an event; many drivers send none when only the level drifts.
        package var pollInterval: Duration = .seconds(30)
        /// The time between the reads that follow an event, since firmware takes seconds to settle.
        package var settleInterval: Duration = .seconds(1)
        /// The smallest change of the level that is reported, from 0 to 1.
        package var levelStep = 0.01
        /// The shortest time between changes of the level only; 0 for no limit.
        package var levelInterval: Duration = .seconds(60)

        mutating func read(_ section: ConfigurationSection) throws(ConfigurationError) {
            try section.seconds("pollInterval", into: &pollInterval)
            try section.seconds("settleInterval", into: &settleInterval)
            try section.number("levelStep", in: 0...1, into: &levelStep)
            try section.seconds("levelInterval", atLeast: 0, into: &levelInterval)
        }

        var json: JSON {
            [
                "pollInterval": Configuration.seconds(pollInterval),
                "settleInterval": Configuration.seconds(settleInterval), "levelStep": Configuration.number(levelStep),
                "levelInterval": Configuration.seconds(levelInterval),
            ]
        }
    }
}
