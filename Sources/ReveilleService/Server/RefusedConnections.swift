// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// The connections over a limit, whose first calls are answered with an error.
///
/// They count toward no limit. When there is no room for another, the oldest of its user or the oldest of all is
/// closed. A peer that calls as soon as it is connected gets its answer in time.
struct RefusedConnections {
    static let perUser = 4
    /// The most connections in total, since descriptors are few.
    static let total = 16

    /// The connections, oldest first.
    private(set) var all: [Connection] = []

    /// Adds a connection, and returns the connection that must be closed in exchange.
    mutating func add(_ connection: Connection) -> Connection? {
        all.append(connection)
        let own = all.indices.filter { all[$0].peer.uid == connection.peer.uid }
        if own.count > Self.perUser { return all.remove(at: own[0]) }
        return all.count > Self.total ? all.removeFirst() : nil
    }

    mutating func remove(_ connection: Connection) {
        all.removeAll { $0 === connection }
    }
}
