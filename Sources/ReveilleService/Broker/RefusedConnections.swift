// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// Connections that are over a limit and wait to be told so.
///
/// They cost nobody anything: they count against no limit, and a new one takes the place of the oldest of its user, or
/// of all. Who calls as soon as it is connected is answered in time.
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
