// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleWatchers
import Varlink

/// The section `light` of the configuration.
extension LightWatcher.Settings {
    mutating func read(_ section: ConfigurationSection) throws(ConfigurationError) {
        try section.seconds("sampleInterval", into: &sampleInterval)
    }

    var json: JSON { ["sampleInterval": Configuration.seconds(sampleInterval)] }
}
