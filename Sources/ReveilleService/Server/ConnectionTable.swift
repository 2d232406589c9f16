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
    private var numberOfProcess: [UnixStream.Peer: Int] = [:]
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

    /// Returns the error for a peer whose user or process has reached a limit; root is never refused.
    func refusal(
        of peer: UnixStream.Peer, by limits: Configuration.Bus, _ permissions: Permissions
    ) -> CallError? {
        guard peer.uid != 0 else { return nil }
        do throws(CallError) {
            if permissions.hasAllConnections(peer.uid) {
                try Quota.processConnections.check(
                    numberOfProcess[peer, default: 0] + 1, atMost: limits.connectionsPerProcess)
            } else {
                try Quota.connections.check(numberOfUser[peer.uid, default: 0] + 1, atMost: limits.connectionsPerUser)
            }
            try Quota.busConnections.check(served.count + 1, atMost: limits.connections)
            return nil
        } catch {
            return error
        }
    }

    /// Adds a connection, and returns the connection over a limit that the new one displaces, if any.
    mutating func add(_ connection: Connection) -> Connection? {
        if connection.isRefused { return refused.add(connection) }
        served[connection.number] = connection
        count(1, of: connection.peer)
        return nil
    }

    /// Lets a connection count that was over a limit, since there is room now.
    mutating func admit(_ connection: Connection) {
        refused.remove(connection)
        connection.isRefused = false
        _ = add(connection)
    }

    mutating func remove(_ connection: Connection) {
        guard served.removeValue(forKey: connection.number) != nil else {
            return refused.remove(connection)
        }
        count(-1, of: connection.peer)
    }

    private mutating func count(_ difference: Int, of peer: UnixStream.Peer) {
        let (ofUser, ofProcess) = (numberOfUser[peer.uid] ?? 0, numberOfProcess[peer] ?? 0)
        numberOfUser[peer.uid] = ofUser + difference == 0 ? nil : ofUser + difference
        numberOfProcess[peer] = ofProcess + difference == 0 ? nil : ofProcess + difference
    }
}

/// The connections over a limit, most of whose calls are answered with an error.
///
/// They count toward no limit. When there is no room for another, one is closed: the oldest of the process that has the
/// most of the new one's user, or the oldest of all. So nobody can keep this room, and a program that connects without end
/// displaces itself. A peer that calls as soon as it is connected gets its answer in time.
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
        guard own.count > Self.perUser else { return all.count > Self.total ? all.removeFirst() : nil }
        let processes = Dictionary(grouping: own) { all[$0].peer }
        // The connections of a process are in their order, and so the smallest index is that of the oldest.
        let largest = processes.values.max { ($0.count, $1[0]) < ($1.count, $0[0]) }
        return all.remove(at: largest?[0] ?? own[0])
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
