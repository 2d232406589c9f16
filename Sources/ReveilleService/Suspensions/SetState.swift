// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension SetState: ServedMethod {
    func carryOut(by server: BusServer, on connection: Connection) throws(CallError) {
        let (id, target) = try server.subscription(subscription, for: connection)
        // All processes of other PID namespaces have the id 0, and cannot be distinguished.
        let isOwn = connection.peer.pid == target.peer.pid && connection.peer.pid != 0
        let subject = server.subject(target, isOwn ? .app : .operator)
        guard state.isHeld else {
            return server.wake(subject, id, into: state == .inactive ? .inactive : .usual, for: connection.number)
        }
        let isInBackground = server.bus.isSentToBackground(id)
        if target.process == nil, !isInBackground, server.bus.endsInBackground(id) {
            server.note(
                "process \(target.peer.pid) is not ended, since it cannot be followed", of: target.peer.uid,
                level: .warning)
        }
        let now = server.loop.bootClock
        let time = wakeAfter.map { EventLoop.moment(in: EventLoop.microseconds($0), from: now) }
        if time != nil { server.turn.timesHaveChanged = true }
        server.features.suspending.hold(subject, until: time, wasInBackground: isInBackground, at: now)
        if state == .suspended {
            server.features.suspending.suspend(subject, for: server.caller(connection), at: now)
        } else {
            server.features.suspending.run(subject, for: connection.number, at: now)
        }
        server.performSuspending()
    }
}

extension BusServer {
    /// Describes the caller of a suspension; a `oneway` call is over, and the calls after it follow.
    fileprivate func caller(_ connection: Connection) -> Suspending.Caller {
        let isOneway = connection.session.isOneway
        if isOneway { reply(EmptyReply(), on: connection) }
        let process = try? facilities.programs.process(behind: connection.stream)
        return Suspending.Caller(
            connection: isOneway ? nil : connection.number, id: connection.peer.pid, cgroup: process?.cgroup)
    }
}
