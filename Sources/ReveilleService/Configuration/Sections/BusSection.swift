// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

extension Configuration {
    /// Limits of the bus.
    package struct Bus: Sendable {
        /// The number of changes kept for each aspect, for the policy `hold` and GetHistory: minutes in the background.
        package var history = 256
        /// The longest frame in bytes, a thousand times the usual call, so no peer can use up memory.
        package var maxFrame = 65_536
        /// The connections of one user other than root: two for each of about thirty programs.
        package var connectionsPerUser = 64
        /// The total number of connections, which fits the usual limit of file descriptors.
        package var connections = 1_024

        mutating func read(_ section: ConfigurationSection) throws(ConfigurationError) {
            try section.integer("history", in: 1...65_536, into: &history)
            try section.integer("maxFrame", in: 1_024...16_777_216, into: &maxFrame)
            try section.integer("connectionsPerUser", in: 1...1_000_000, into: &connectionsPerUser)
            try section.integer("connections", in: 1...1_000_000, into: &connections)
        }

        var json: JSON {
            [
                "history": .integer(Int64(history)), "maxFrame": .integer(Int64(maxFrame)),
                "connectionsPerUser": .integer(Int64(connectionsPerUser)),
                "connections": .integer(Int64(connections)),
            ]
        }
    }
}
