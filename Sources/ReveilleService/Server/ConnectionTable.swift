// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

struct ConnectionTable {
    /// The most bytes that are read at once: dozens of calls, in few system calls for the longest.
    private static let readSize = 16_384

    let readBuffer = ReadBuffer(capacity: ConnectionTable.readSize)
    private var served: [UInt64: Connection] = [:]
    private var numberOfUser: [UInt32: Int] = [:]
    private var refused = RefusedConnections()
    var subscribers = SubscriberTable()
    private var next: UInt64 = 0

    var all: [Connection] { Array(served.values) + refused.all }

    /// The connections that are not over a limit.
    var calling: some Collection<Connection> { served.values }

    /// The connection with a number, if it is open and not over a limit.
    subscript(number: UInt64) -> Connection? { served[number] }

    mutating func takeNumber() -> UInt64 {
        defer { next += 1 }
        return next
    }

    /// Returns the error for a user who has reached a limit; root is never refused.
    func refusal(of user: UInt32, by configuration: Configuration) -> CallError? {
        guard user != 0 else { return nil }
        do throws(CallError) {
            try Quota.connections.check(
                numberOfUser[user, default: 0] + 1, atMost: configuration.bus.connectionsPerUser)
            try Quota.connections.check(served.count + 1, atMost: configuration.bus.connections)
            return nil
        } catch {
            return error
        }
    }

    /// Adds a connection, and returns the connection over a limit that the new one displaces, if any.
    mutating func add(_ connection: Connection, isRefused: Bool) -> Connection? {
        if isRefused { return refused.add(connection) }
        served[connection.number] = connection
        numberOfUser[connection.peer.uid, default: 0] += 1
        return nil
    }

    mutating func remove(_ connection: Connection) {
        guard served.removeValue(forKey: connection.number) != nil else {
            return refused.remove(connection)
        }
        let others = (numberOfUser[connection.peer.uid] ?? 1) - 1
        numberOfUser[connection.peer.uid] = others == 0 ? nil : others
    }
}

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

struct SubscriberTable {
    private var table: [(id: SubscriptionID, connection: Connection)?] = []

    var connections: [Connection] { table.compactMap { $0?.connection } }

    /// One more than the largest slot that was in use.
    var slotCount: Int { table.count }

    subscript(slot: Int) -> Connection? {
        get { slot < table.count ? table[slot]?.connection : nil }
        set {
            while table.count <= slot { table.append(nil) }
            table[slot] = newValue.flatMap { connection in connection.subscription.map { ($0, connection) } }
        }
    }

    /// The connection of a subscription that was ready and may have ended since.
    subscript(ready: ReadySubscription) -> Connection? {
        guard ready.slot < table.count, let entry = table[ready.slot] else { return nil }
        return entry.id.rawValue == ready.id.rawValue ? entry.connection : nil
    }
}
