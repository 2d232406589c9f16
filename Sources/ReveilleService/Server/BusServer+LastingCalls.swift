// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

extension BusServer {
    /// Lets a call have a reply in this turn, before the answers to later calls, or else once its peer has read the last.
    ///
    /// Does nothing for a call that has ended.
    func outdate(_ number: UInt64) {
        if connections[number]?.phase.lastingCall != nil { _ = features.lasting.outdate(number, isDue: true) }
    }

    /// Lets a call have a reply in a turn of its connection's own, since many calls may be outdated at a time.
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
        guard features.lasting.remove(connection.number), let call = connection.phase.lastingCall else { return }
        resume(connection) {
            switch call {
            case .task: sendTaskNotice(to: connection)
            case .subscriptions: sendSubscriptions(to: connection)
            case .demand: sendDemand(to: connection)
            }
        }
    }
}
