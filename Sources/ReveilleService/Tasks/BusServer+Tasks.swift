// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

// The tasks of programs: calls of `BeginTask` that last until the task ends. `TaskTable` has the rules.

extension BusServer {
    func endTask(of connection: Connection) {
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
}

/// The process behind the connection whose call lasts as long as a task.
struct TaskHolder {
    let process: any FollowedProcess
    let end: any LoopSource
}
