// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import ReveilleWire
import Varlink

struct ConnectionTable {
    /// The most bytes that are read at once: dozens of calls, in few system calls for the longest.
    private static let readSize = 16_384

    let readBuffer = ReadBuffer(capacity: ConnectionTable.readSize)
    private var served: [ObjectIdentifier: Connection] = [:]
    private var numberOfUser: [UInt32: Int] = [:]
    private var refused = RefusedConnections()
    private var next: UInt64 = 0

    var all: [Connection] { Array(served.values) + refused.all }

    /// The connections that are not over a limit.
    var calling: some Collection<Connection> { served.values }

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
        served[ObjectIdentifier(connection)] = connection
        numberOfUser[connection.peer.uid, default: 0] += 1
        return nil
    }

    mutating func remove(_ connection: Connection) {
        guard served.removeValue(forKey: ObjectIdentifier(connection)) != nil else {
            return refused.remove(connection)
        }
        let others = (numberOfUser[connection.peer.uid] ?? 1) - 1
        numberOfUser[connection.peer.uid] = others == 0 ? nil : others
    }
}
