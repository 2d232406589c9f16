// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

extension Configuration {
    /// Settings for the user's settings files.
    package struct Defaults: Sendable {
        /// Files and directories, where `~` is the home directory; `nil` for the usual ones.
        package var paths: [String]?
        /// The time from the end of a write to the read.
        package var settle: Duration = .milliseconds(50)
        /// How long a deleted or empty file keeps its values.
        package var deletionGrace: Duration = .milliseconds(250)

        mutating func read(_ section: ConfigurationSection) throws(ConfigurationError) {
            paths = try section.paths("paths")
            try section.seconds("settle", atLeast: 0, into: &settle)
            try section.seconds("deletionGrace", atLeast: 0, into: &deletionGrace)
        }

        var json: JSON {
            [
                "paths": Configuration.paths(paths), "settle": Configuration.seconds(settle),
                "deletionGrace": Configuration.seconds(deletionGrace),
            ]
        }
    }
}
