// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

extension Configuration {
    /// Settings for the locale.
    package struct Locale: Sendable {
        /// The files, of which the first that exists is used; `nil` for the usual ones.
        package var paths: [String]?

        mutating func read(_ section: ConfigurationSection) throws(ConfigurationError) {
            paths = try section.paths("paths")
        }

        var json: JSON {
            [
                "paths": Configuration.paths(paths)
            ]
        }
    }
}
