// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension BeginTask: LastingMethod {
    /// Begins a task, which ends when its time is over, or with its connection, its holder's process or its subscription.
    ///
    /// - Throws: `NoSuchSubscription`, or else `PermissionDenied`, or else `QuotaExceeded`.
    func carryOut(by server: BusServer, on connection: Connection) throws(CallError) {
        let (id, target) = try server.subscription(subscription, for: connection)
        // The tasks that root begins for another user count among its own.
        let user = connection.peer.uid
        try Quota.tasks.check(
            server.features.tasks.count(of: user) + 1, atMost: server.configuration.lifecycle.tasks)
        let task = TaskTable.Task(
            id: connection.number, name: task, subscription: id, process: target.processKey, user: user)
        let state = server.features.tasks.begin(task, at: server.loop.bootClock)
        if !state.hasEnded {
            connection.phase.beginLasting(Self.self)
            connection.taskHolder = server.taskHolder(behind: connection)
            server.changed(id)
            server.turn.featuresAreDue = true
        }
        // Last: the peer may be gone, and the task ends with it.
        server.reply(state, continues: !state.hasEnded, on: connection)
    }

    /// Tells the holder of a task that the time is about to end, or that the task has ended.
    static func replyFurther(by server: BusServer, on connection: Connection) {
        let state = server.features.tasks.state(of: connection.number, at: server.loop.bootClock)
        if server.features.tasks[connection.number] == nil {
            server.endTask(of: connection)
            connection.phase.endLasting()
        } else if !state.isExpiring || state.hasEnded {
            // The foreground has restored the time, or it is over by now; then its end follows.
            return
        }
        server.reply(state, continues: !state.hasEnded, on: connection)
    }
}

extension BusServer {
    /// Returns the process that holds a task, which ends together with it, since a child may have inherited the socket.
    fileprivate func taskHolder(behind connection: Connection) -> TaskHolder? {
        do throws(SystemError) {
            let process = try facilities.programs.process(behind: connection.stream)
            let end = try loop.watch(process.number, for: .readable) { [unowned self, unowned connection] _ in
                close(connection)
            }
            return TaskHolder(process: process, end: end)
        } catch {
            logger.debug("a task ends only with its connection: \(error)")
            return nil
        }
    }
}
