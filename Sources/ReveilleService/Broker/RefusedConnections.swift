// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// Connections over a limit, which wait for their one answer.
///
/// They count against no limit. When there is no room for another, the oldest of its user goes, or else the oldest of
/// all. A peer that calls as soon as it is connected gets its answer in time.
struct RefusedConnections {
    /// How many one user may have.
    static let perUser = 4
    /// How many there may be in all; descriptors are few.
    static let total = 16

    private var waiting: [Connection] = []

    /// Adds one.
    ///
    /// - Returns: The one to close for it.
    mutating func add(_ connection: Connection) -> Connection? {
        waiting.append(connection)
        let own = waiting.indices.filter { waiting[$0].peer.uid == connection.peer.uid }
        if own.count > Self.perUser { return waiting.remove(at: own[0]) }
        return waiting.count > Self.total ? waiting.removeFirst() : nil
    }

    /// Takes one away; nothing where it is not among them.
    mutating func remove(_ connection: Connection) {
        waiting.removeAll { $0 === connection }
    }

    /// All of them.
    var all: [Connection] { waiting }
}
