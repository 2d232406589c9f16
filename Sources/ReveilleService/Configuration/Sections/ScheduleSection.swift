// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

extension Configuration {
    /// Limits of the schedule.
    package struct Schedule: Sendable {
        /// The entries that one user, including root, may have at a time: dozens for each of its programs.
        package var entries = 1_024

        /// The range of ``entries``, whose values take some hundred megabytes at its end.
        static let entryRange = 1...65_536

        mutating func read(_ section: ConfigurationSection) throws(ConfigurationError) {
            try section.integer("entries", in: Self.entryRange, into: &entries)
        }

        var json: JSON { ["entries": .integer(Int64(entries))] }
    }
}
