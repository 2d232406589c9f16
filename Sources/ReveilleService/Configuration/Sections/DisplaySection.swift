// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleWatchers
import Varlink

/// The section `display` of the configuration.
extension DisplayWatcher.Settings {
    mutating func read(_ section: ConfigurationSection) throws(ConfigurationError) {
        var value = scale ?? 0
        try section.number("scale", in: 0...Self.largestScale, into: &value)
        scale = value > 0 ? value : nil
    }

    /// The largest scale: five times that of any display on sale.
    private static let largestScale = 20.0

    var json: JSON { ["scale": scale.map(Configuration.number) ?? .null] }
}
