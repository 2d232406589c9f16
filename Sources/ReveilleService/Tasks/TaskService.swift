// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// The tasks of programs: BeginTask calls that last until the task ends.
final class TaskService: BusPart {
    let access: BusAccess
    private let programs: any Programs
    private var tasks: TaskTable
    private var holders: [TaskID: TaskHolder] = [:]

    init(_ access: BusAccess, programs: any Programs, time: Duration) {
        self.access = access
        self.programs = programs
        tasks = TaskTable(time: time)
    }

    func reconfigured() { tasks.time = configuration.lifecycle.taskTime }

    /// Begins a task.
    ///
    /// The task ends when its time is over, or with its connection, its holder's process or its subscription.
    ///
    /// - Throws: `NoSuchSubscription`, or else `PermissionDenied`, or else `QuotaExceeded`.
    func begin(_ name: String, of subscription: String, on connection: Connection) throws(CallError) {
        let (id, target) = try access.subscription(subscription, for: connection)
        // The tasks that root begins for another user count among its own.
        let user = connection.peer.uid
        try Quota.tasks.check(tasks.count(of: user) + 1, atMost: configuration.lifecycle.tasks)
        let task = TaskTable.Task(
            id: connection.number, name: name, subscription: id, process: key(of: target), user: user)
        let state = tasks.begin(task, at: loop.bootClock)
        guard !state.hasEnded else { return reply(state, on: connection) }
        let holder = TaskHolder(connection)
        access.lasting.begin(on: connection) { [unowned self, unowned connection] in sendNotice(to: connection) }
        holders[connection.number] = holder
        follow(holder)
        access.changed(id)
        access.becameBusy()
        access.timesChanged()
        // Last: the peer may be gone, and the task ends with it.
        reply(state, on: connection)
    }

    /// Ends a task together with its holder's process, since a child may have inherited the socket.
    private func follow(_ holder: TaskHolder) {
        do throws(SystemError) {
            let process = try programs.process(behind: holder.connection.stream)
            holder.process = process
            holder.end = try loop.watch(process.number, for: .readable) { [access, unowned holder] _ in
                access.close(holder.connection)
            }
        } catch {
            logger.debug("a task ends only with its connection: \(error)")
        }
    }

    private func endTask(of connection: Connection) {
        guard let holder = holders.removeValue(forKey: connection.number) else { return }
        holder.end?.cancel()
        guard let task = tasks[connection.number] else { return }
        tasks.end(connection.number)
        access.changed(task.subscription)
        taskHasEnded(in: task.process)
    }

    /// Continues with what waits for the tasks of a process, if it has none left.
    private func taskHasEnded(in process: ProcessKey) {
        access.timesChanged()
        if !tasks.hasTasks(process) { access.becameIdle() }
    }

    /// Returns whether a process has a task whose time is not over; until then it is neither suspended nor ended.
    func isBusy(_ process: SubscriberProcess?) -> Bool {
        process.map { tasks.hasTasks(.followed(ObjectIdentifier($0))) } ?? !tasks.isEmpty
    }

    var work: [String] {
        holders.values.sorted { $0.connection.number < $1.connection.number }.compactMap { holder in
            tasks[holder.connection.number].map {
                "the task \(JSON.string($0.name)) of process \(holder.connection.peer.pid)"
            }
        }
    }

    // MARK: - Subscriptions

    func subscribed(_ connection: Connection, to aspects: AspectSet) {
        tasks.addSubscription(
            of: key(of: connection), isInForeground: !access.isInBackground(connection), at: loop.bootClock)
        access.timesChanged()
    }

    /// A freeze alone, such as when the machine is suspended, takes no time: a frozen program cannot use it.
    func moved(_ connection: Connection, toForeground: Bool) {
        tasks.moveSubscription(of: key(of: connection), toForeground: toForeground, at: loop.bootClock)
        access.timesChanged()
    }

    /// Ends the task of the connection, and the tasks of its subscription.
    func closing(_ connection: Connection) {
        endTask(of: connection)
        guard let id = connection.subscription else { return }
        let process = key(of: connection)
        let ended = tasks.removeSubscription(
            id, of: process, isInForeground: !access.isInBackground(connection), at: loop.bootClock)
        guard !ended.isEmpty else { return }
        for task in ended { access.lasting.outdate(task) }
        taskHasEnded(in: process)
        access.partsAreDue()
    }

    private func key(of connection: Connection) -> ProcessKey {
        if let process = connection.process { return .followed(ObjectIdentifier(process)) }
        let peer = connection.peer
        // All processes of other PID namespaces have the ID 0.
        return peer.pid > 0 ? .visible(pid: peer.pid, user: peer.uid) : .hidden(connection: connection.number)
    }

    func tasks(of connection: Connection) -> [SubscriptionInfo.Task] {
        guard let id = connection.subscription, !holders.isEmpty else { return [] }
        return tasks.tasks(of: id, in: key(of: connection), at: loop.bootClock)
    }

    // MARK: - Notices

    var next: UInt64? { tasks.next }

    /// Ends the tasks whose time is over, and warns the holders of tasks whose time is about to end.
    func advance(to now: UInt64) {
        let changes = tasks.advance(to: now)
        for task in changes.expiring { access.lasting.outdate(task) }
        for task in changes.overrun {
            access.lasting.outdate(task.id)
            access.changed(task.subscription)
            access.note(
                "the time of the task \(JSON.string(task.name)) is over (overrun \(tasks.overruns))", of: task.user,
                level: .notice)
        }
        for process in Set(changes.overrun.map(\.process)) { taskHasEnded(in: process) }
    }

    /// Tells the holder of a task that the time is about to end, or that the task has ended.
    private func sendNotice(to connection: Connection) {
        let state = tasks.state(of: connection.number, at: loop.bootClock)
        if tasks[connection.number] == nil {
            endTask(of: connection)
            access.lasting.end(on: connection)
            reply(state, on: connection)
        } else if state.isExpiring, !state.hasEnded {
            // Otherwise the foreground has restored the time, or it is over by now; then its end follows.
            reply(state, on: connection)
        }
    }

    private func reply(_ state: TaskState, on connection: Connection) {
        access.send(connection.session.reply(state.parameters, continues: !state.hasEnded), to: connection)
    }
}
