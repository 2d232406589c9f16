// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

// The tasks of programs: calls that last until the task ends.

extension Broker {
    /// Begins a task, which lasts until the time for it is over or its connection, its holder's process or its
    /// subscription ends.
    ///
    /// - Throws: `NoSuchSubscription`, or else `PermissionDenied`, or else `QuotaExceeded`.
    func beginTask(_ name: String, of subscription: String, on connection: Connection) throws(CallError) {
        guard let id = SubscriptionID(wireName: subscription), let target = subscribers[id] else {
            throw .noSuchSubscription(subscription)
        }
        // As for SetState: root may act for every user. The tasks that it begins count among its own.
        let user = connection.peer.uid
        guard [0, target.peer.uid].contains(user) else { throw .permissionDenied }
        guard tasks.count(of: user) < configuration.lifecycle.tasks else {
            throw .quotaExceeded("tasks", limit: configuration.lifecycle.tasks)
        }
        let task = TaskTable.Task(
            id: connection.number, name: name, subscription: id, process: processKey(of: target), user: user)
        let state = tasks.begin(task, at: loop.bootClock)
        guard !state.hasEnded else { return reply(state, on: connection) }
        connection.beginTask()
        let holder = TaskHolder(connection)
        holders[connection.number] = holder
        follow(holder)
        reply(state, on: connection)
        waitForPaced()
    }

    /// Ends a task with the process of its holder, whose child may have inherited the socket.
    private func follow(_ holder: TaskHolder) {
        do throws(SystemError) {
            let process = try programs.process(behind: holder.connection.stream)
            holder.process = process
            holder.end = try loop.watch(process.number, for: .readable) { [weak self, unowned holder] _ in
                self?.close(holder.connection)
                self?.deliver()
            }
        } catch {
            logger.debug("a task ends only with its connection: \(error)")
        }
    }

    /// Ends the task of a connection that closes, if it has one.
    func endTask(of connection: Connection) {
        guard let holder = holders.removeValue(forKey: connection.number) else { return }
        holder.end?.cancel()
        guard let task = tasks[connection.number] else { return }
        tasks.end(connection.number)
        taskHasEnded(in: task.process)
    }

    /// Continues with what waits for the tasks of a process, if it has none left.
    private func taskHasEnded(in process: ProcessKey) {
        waitForPaced()
        if !tasks.hasTasks(process) { continueDepartures() }
    }

    /// Returns whether a process has a task whose time is not over: it is neither suspended nor ended before.
    func hasTasks(_ process: SubscriberProcess) -> Bool {
        tasks.hasTasks(.followed(ObjectIdentifier(process)))
    }

    // MARK: - Subscriptions

    /// Counts a new subscription among those of its process.
    func addToTasks(_ connection: Connection) {
        tasks.addSubscription(
            of: processKey(of: connection), isInForeground: !isInBackground(connection), at: loop.bootClock)
    }

    /// Ends the tasks of a subscription that ends.
    func removeFromTasks(_ connection: Connection) {
        guard let id = connection.subscription else { return }
        let process = processKey(of: connection)
        let ended = tasks.removeSubscription(
            id, of: process, isInForeground: !isInBackground(connection), at: loop.bootClock)
        guard !ended.isEmpty else { return }
        for task in ended { holders[task]?.due = .ended }
        taskHasEnded(in: process)
        // A connection can end in the middle of a delivery.
        deliverSoon()
    }

    /// Changes the holds of a subscription, which may begin or end the time of its process.
    ///
    /// A frozen program cannot use its time: a freeze alone, such as that of a suspended machine, takes none from it.
    func changeHolds(of connection: Connection, _ change: () -> Void) {
        let wasInBackground = isInBackground(connection)
        change()
        let isInBackground = isInBackground(connection)
        guard wasInBackground != isInBackground else { return }
        tasks.moveSubscription(of: processKey(of: connection), toForeground: !isInBackground, at: loop.bootClock)
        waitForPaced()
    }

    /// Returns the process behind a subscription.
    func processKey(of connection: Connection) -> ProcessKey {
        if let process = connection.process { return .followed(ObjectIdentifier(process)) }
        let peer = connection.peer
        // All processes of other PID namespaces have the ID 0.
        return peer.pid > 0 ? .visible(pid: peer.pid, user: peer.uid) : .hidden(connection: connection.number)
    }

    /// Returns the tasks of a subscription.
    func tasks(of connection: Connection) -> [Subscriber.Task] {
        guard let id = connection.subscription, !holders.isEmpty else { return [] }
        return tasks.tasks(of: id, in: processKey(of: connection), at: loop.bootClock).map {
            Subscriber.Task(name: $0.name, remaining: $0.remaining)
        }
    }

    // MARK: - Notices

    /// Ends the tasks whose time is over, and warns those whose time is about to end.
    func advanceTasks() {
        let changes = tasks.advance(to: loop.bootClock)
        for task in changes.expiring { holders[task]?.due = .expiring }
        for task in changes.overrun {
            holders[task.id]?.due = .ended
            note(
                "the time of the task \(JSON.string(task.name)) is over (overrun \(tasks.overruns))", of: task.user,
                level: .notice)
        }
        for process in Set(changes.overrun.map(\.process)) { taskHasEnded(in: process) }
        sendTaskNotices()
    }

    /// Sends the notices that are due to the holders that have read everything.
    func sendTaskNotices() {
        for holder in holders.values.sorted(by: { $0.connection.number < $1.connection.number }) {
            sendNotice(to: holder)
        }
    }

    /// Sends the notice that is due to the holder of a task, if it has read its last reply.
    func sendNotice(to connection: Connection) {
        if let holder = holders[connection.number] { sendNotice(to: holder) }
    }

    private func sendNotice(to holder: TaskHolder) {
        let connection = holder.connection
        guard let notice = holder.due, !connection.isClosed else { return }
        guard connection.isAllRead else { return connection.awaitReading() }
        let state = tasks.state(of: connection.number, at: loop.bootClock)
        holder.due = nil
        switch notice {
        // The foreground has restored the time.
        case .expiring where !state.isExpiring: break
        case .expiring: reply(state, on: connection)
        case .ended:
            endTask(of: connection)
            connection.endTask()
            reply(state, on: connection)
            // The connection takes calls again.
            resume(connection) {}
        }
    }

    private func reply(_ state: TaskState, on connection: Connection) {
        send(connection.session.reply(state.parameters, continues: !state.hasEnded), to: connection)
    }
}
