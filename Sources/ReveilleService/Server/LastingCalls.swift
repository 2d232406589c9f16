// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The calls with further replies: BeginTask, ListSubscriptions with `more`, and ObserveDemand.
///
/// After a change, the next reply is made once the peer has read the last one, with everything that has changed until
/// then, at the cost of the peer's user.
final class LastingCalls: BusPart {
    let access: BusAccess
    /// The connections of the calls, and what makes a reply, by the number of the connection.
    private var calls: [UInt64: (connection: Connection, reply: () -> Void)] = [:]
    /// The calls that have something to reply.
    private var outdated: Set<UInt64> = []
    /// The outdated calls that are replied to in this turn, if their peers have read the last reply.
    private var due: [UInt64] = []

    init(_ access: BusAccess) { self.access = access }

    /// Lets the current call of a connection last; `reply` sends a further reply, unless there is nothing to say any more.
    func begin(on connection: Connection, _ reply: @escaping () -> Void) {
        connection.phase.beginLasting()
        calls[connection.number] = (connection, reply)
    }

    /// Lets the next reply of a call be the last one, after which the connection takes calls again.
    func end(on connection: Connection) {
        connection.phase.endLasting()
        remove(connection)
    }

    /// Replies when parts advance, before the answers to later calls, or else once the peer has read the last reply.
    ///
    /// Does nothing for a call that has ended.
    func outdate(_ number: UInt64) {
        guard calls[number] != nil, outdated.insert(number).inserted else { return }
        access.waits(true, self)
        due.append(number)
    }

    /// Replies in a turn of the connection's own, since many calls may be outdated at a time.
    func outdateInTurn(_ number: UInt64) {
        guard let connection = calls[number]?.connection, outdated.insert(number).inserted else { return }
        access.waits(true, self)
        access.awaitReading(by: connection)
    }

    func advance(to now: UInt64) {
        let due = due.sorted()
        self.due = []
        for connection in due.compactMap({ calls[$0]?.connection }) {
            connection.isAllRead ? hasRead(connection) : connection.awaitReading()
        }
    }

    func closed(_ connection: Connection, subscription: SubscriptionID?) { remove(connection) }

    private func remove(_ connection: Connection) {
        calls[connection.number] = nil
        settle(connection)
    }

    private func settle(_ connection: Connection) {
        guard outdated.remove(connection.number) != nil else { return }
        access.waits(!outdated.isEmpty, self)
    }

    func awaitsReading(by connection: Connection) -> Bool { outdated.contains(connection.number) }

    func hasRead(_ connection: Connection) {
        guard outdated.contains(connection.number), let reply = calls[connection.number]?.reply else { return }
        settle(connection)
        access.resume(connection, reply)
    }
}
