// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleWatchers
import Varlink

/// The section `battery` of the configuration.
extension BatteryWatcher.Settings {
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
