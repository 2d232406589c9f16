// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// The calls with further replies that have something to reply, by the numbers of their connections.
///
/// After a change, the next reply is made once the peer has read the last one, with everything that has changed until
/// then, at the cost of the peer's user.
struct LastingCalls {
    private var outdated: Set<UInt64> = []
    /// The outdated calls that are replied to in this turn, if their peers have read the last reply.
    private var due: [UInt64] = []

    var isEmpty: Bool { outdated.isEmpty }

    func isOutdated(_ number: UInt64) -> Bool { outdated.contains(number) }

    /// Notes that a call has something to reply, and returns whether it had nothing before; `isDue` if this turn replies.
    mutating func outdate(_ number: UInt64, isDue: Bool) -> Bool {
        guard outdated.insert(number).inserted else { return false }
        if isDue { due.append(number) }
        return true
    }

    /// Returns the connections to reply to in this turn, oldest first.
    mutating func takeDue() -> [UInt64] {
        defer { due = [] }
        return due.sorted()
    }

    /// Notes that a call is replied to or has ended, and returns whether it had something to reply.
    mutating func remove(_ number: UInt64) -> Bool { outdated.remove(number) != nil }
}

extension BusServer {
    /// Requests a reply to a call in this turn, before the answers to later calls, or once its peer has read the last.
    ///
    /// Does nothing for a call that has ended.
    func outdate(_ number: UInt64) {
        if connections[number]?.phase.lastingCall != nil { _ = features.lasting.outdate(number, isDue: true) }
    }

    /// Requests a reply to a call in a turn of its own connection, since many calls may be outdated at a time.
    func outdateInTurn(_ number: UInt64) {
        guard let connection = connections[number], features.lasting.outdate(number, isDue: false) else { return }
        connection.setFlooding(shares.isSpent(connection.peer.uid, at: loop.bootClock))
        connection.awaitReading()
    }

    /// Replies to the calls that are due.
    func replyFurther() {
        for connection in features.lasting.takeDue().compactMap({ connections[$0] }) {
            connection.isAllRead ? replyFurther(to: connection) : connection.awaitReading()
        }
    }

    /// Makes the next reply to a call, whose peer has read the last one.
    func replyFurther(to connection: Connection) {
        guard features.lasting.remove(connection.number), let method = connection.phase.lastingCall else { return }
        resume(connection) { method.replyFurther(by: self, on: connection) }
    }
}
