// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

// The tasks of programs: BeginTask calls that last until the task ends. `TaskTable` has the rules.

extension BusServer {
    /// Begins a task, which ends when its time is over, or with its connection, its holder's process or its subscription.
    ///
    /// - Throws: `NoSuchSubscription`, or else `PermissionDenied`, or else `QuotaExceeded`.
    func beginTask(_ name: String, of subscription: String, on connection: Connection) throws(CallError) {
        let (id, target) = try self.subscription(subscription, for: connection)
        // The tasks that root begins for another user count among its own.
        let user = connection.peer.uid
        try Quota.tasks.check(features.tasks.count(of: user) + 1, atMost: configuration.lifecycle.tasks)
        let task = TaskTable.Task(
            id: connection.number, name: name, subscription: id, process: target.processKey, user: user)
        let state = features.tasks.begin(task, at: loop.bootClock)
        guard !state.hasEnded else { return reply(state, on: connection) }
        connection.phase.beginLasting(.task)
        connection.taskHolder = taskHolder(behind: connection)
        changed(id)
        turn.featuresAreDue = true
        // Last: the peer may be gone, and the task ends with it.
        reply(state, on: connection)
    }

    /// Returns the process that holds a task, which ends together with it, since a child may have inherited the socket.
    private func taskHolder(behind connection: Connection) -> TaskHolder? {
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

    private func endTask(of connection: Connection) {
        connection.taskHolder?.end.cancel()
        connection.taskHolder = nil
        guard let task = features.tasks[connection.number] else { return }
        features.tasks.end(connection.number)
        changed(task.subscription)
        turn.featuresAreDue = true
    }

    /// Returns whether a process has a task whose time is not over; until then it is neither suspended nor ended.
    func isBusy(_ process: SubscriberProcess) -> Bool { features.tasks.hasTasks(process.key) }

    /// The tasks that have not ended, with the processes of their holders, in words for a person.
    var work: [String] {
        features.tasks.all.map { task in
            "the task \(JSON.string(task.name)) of process \(connections[task.id]?.peer.pid ?? 0)"
        }
    }

    // MARK: - Subscriptions

    func addSubscriptionOfTasks(_ connection: Connection) {
        features.tasks.addSubscription(
            of: connection.processKey, isInForeground: !isInBackground(connection), at: loop.bootClock)
        turn.timesHaveChanged = true
    }

    /// A freeze alone, such as when the machine is suspended, takes no time: a frozen program cannot use it.
    func moveSubscriptionOfTasks(_ connection: Connection, toForeground: Bool) {
        features.tasks.moveSubscription(of: connection.processKey, toForeground: toForeground, at: loop.bootClock)
        turn.timesHaveChanged = true
    }

    /// Ends the task of a connection that is about to close, and the tasks of its subscription.
    func endTasks(of connection: Connection) {
        endTask(of: connection)
        guard let id = connection.subscription else { return }
        let ended = features.tasks.removeSubscription(
            id, of: connection.processKey, isInForeground: !isInBackground(connection), at: loop.bootClock)
        for task in ended { outdate(task) }
        if !ended.isEmpty { turn.featuresAreDue = true }
    }

    func tasks(of connection: Connection) -> [SubscriptionInfo.Task] {
        guard let id = connection.subscription, !features.tasks.isEmpty else { return [] }
        return features.tasks.tasks(of: id, in: connection.processKey, at: loop.bootClock)
    }

    // MARK: - Notices

    /// Ends the tasks whose time is over, and warns the holders of tasks whose time is about to end.
    func advanceTasks(to now: UInt64) {
        let changes = features.tasks.advance(to: now)
        for task in changes.expiring { outdate(task) }
        for task in changes.overrun {
            outdate(task.id)
            changed(task.subscription)
            note(
                "the time of the task \(JSON.string(task.name)) is over (overrun \(features.tasks.overruns))",
                of: task.user, level: .notice)
        }
    }

    /// Tells the holder of a task that the time is about to end, or that the task has ended.
    func sendTaskNotice(to connection: Connection) {
        let state = features.tasks.state(of: connection.number, at: loop.bootClock)
        if features.tasks[connection.number] == nil {
            endTask(of: connection)
            connection.phase.endLasting()
            reply(state, on: connection)
        } else if state.isExpiring, !state.hasEnded {
            // Otherwise the foreground has restored the time, or it is over by now; then its end follows.
            reply(state, on: connection)
        }
    }

    private func reply(_ state: TaskState, on connection: Connection) {
        send(connection.session.reply(state.parameters, continues: !state.hasEnded), to: connection)
    }
}

/// The process behind the connection whose call lasts as long as a task.
struct TaskHolder {
    let process: any FollowedProcess
    let end: any LoopSource
}
