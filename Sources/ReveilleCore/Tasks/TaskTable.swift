// SPDX-License-Identifier: Apache-2.0

/// The tasks of programs, and the time that each process has for its tasks.
///
/// The time of a process begins when its last foreground subscription goes to the background. All of its tasks share it,
/// and the foreground restores it. The time is an argument: the caller calls ``advance(to:)`` at ``next``.
package struct TaskTable: Sendable {
    /// How long before the end of the time, in microseconds, the holders of tasks are warned: long enough to save work.
    package static let warning: UInt64 = 5_000_000

    /// A task that has not ended.
    package struct Task: Sendable, Hashable {
        package let id: TaskID
        package let name: String
        /// The subscription with which the task ends.
        package let subscription: SubscriptionID
        package let process: ProcessKey
        /// The user whose limit on tasks applies.
        package let user: UInt32

        package init(id: TaskID, name: String, subscription: SubscriptionID, process: ProcessKey, user: UInt32) {
            self.id = id
            self.name = name
            self.subscription = subscription
            self.process = process
            self.user = user
        }
    }

    private struct Process {
        var subscriptions = 0
        var foreground = 0
        /// The times of the warning and of the end; `nil` in the foreground.
        var deadline: (warning: UInt64, end: UInt64)?
        var isWarned = false
        /// The tasks in the order in which they began.
        var tasks: [TaskID] = []

        var next: UInt64? {
            tasks.isEmpty ? nil : deadline.map { isWarned ? $0.end : $0.warning }
        }

        func state(at now: UInt64) -> TaskState {
            guard let deadline else { return TaskState() }
            let left = deadline.end > now ? deadline.end - now : 0
            return TaskState(
                remaining: .microseconds(left), isExpiring: deadline.warning <= now, hasEnded: deadline.end <= now)
        }
    }

    /// The tasks whose state has changed.
    package struct Changes: Sendable, Hashable {
        /// The tasks whose time is about to end.
        package var expiring: [TaskID] = []
        /// The tasks that were not ended in time, and are removed.
        package var overrun: [Task] = []
    }

    /// The time for tasks, at least a microsecond; a new time applies to later backgrounds.
    package var time: Duration
    package private(set) var overruns = 0
    /// The time of the next change, in microseconds since boot; `nil` while no time runs for any task.
    package private(set) var next: UInt64?
    private var tasks: [TaskID: Task] = [:]
    private var processes: [ProcessKey: Process] = [:]
    /// The processes in the background that have tasks.
    private var running: Set<ProcessKey> = []

    package init(time: Duration) {
        self.time = time
    }

    package mutating func addSubscription(of process: ProcessKey, isInForeground: Bool, at now: UInt64) {
        change(process, at: now) {
            $0.subscriptions += 1
            if isInForeground { $0.foreground += 1 }
        }
    }

    package mutating func moveSubscription(of process: ProcessKey, toForeground: Bool, at now: UInt64) {
        change(process, at: now) { $0.foreground += toForeground ? 1 : -1 }
    }

    /// Removes a subscription of a process, and returns its tasks, which have ended.
    package mutating func removeSubscription(
        _ id: SubscriptionID, of process: ProcessKey, isInForeground: Bool, at now: UInt64
    ) -> [TaskID] {
        let ended = (processes[process]?.tasks ?? []).filter { tasks[$0]?.subscription == id }
        for task in ended { tasks[task] = nil }
        change(process, at: now) {
            $0.subscriptions -= 1
            if isInForeground { $0.foreground -= 1 }
            $0.tasks.removeAll(where: ended.contains)
        }
        return ended
    }

    private mutating func change(_ key: ProcessKey, at now: UInt64, _ body: (inout Process) -> Void) {
        var process = processes[key] ?? Process()
        body(&process)
        if process.foreground > 0 {
            process.deadline = nil
            process.isWarned = false
        } else if process.deadline == nil {
            let time = UInt64(max(1, Int64(time / .microseconds(1))))
            process.deadline = (now + time - min(Self.warning, time / 2), now + time)
        }
        processes[key] = process.subscriptions > 0 ? process : nil
        schedule(key)
    }

    /// Begins a task with a unique identifier; if the time of its process is over, the task has ended at once.
    package mutating func begin(_ task: Task, at now: UInt64) -> TaskState {
        precondition(tasks[task.id] == nil, "a task's identifier is used twice")
        let process = task.process
        guard var state = processes[process]?.state(at: now), !state.hasEnded else {
            return TaskState(remaining: .zero, isExpiring: false, hasEnded: true)
        }
        tasks[task.id] = task
        if state.isExpiring, processes[process]?.isWarned == false {
            // Each task is warned once: by this state, or together with earlier tasks whose warning is still due.
            if hasTasks(process) { state.isExpiring = false } else { processes[process]?.isWarned = true }
        }
        processes[process]?.tasks.append(task.id)
        schedule(process)
        return state
    }

    /// Ends a task; a task that has already ended is ignored.
    package mutating func end(_ id: TaskID) {
        guard let task = tasks.removeValue(forKey: id) else { return }
        processes[task.process]?.tasks.removeAll { $0 == id }
        schedule(task.process)
    }

    /// Removes the tasks whose time is over, and returns all that have changed, in the order in which they began.
    package mutating func advance(to now: UInt64) -> Changes {
        guard let next, next <= now else { return Changes() }
        var changes = Changes()
        for key in running {
            guard let process = processes[key], let due = process.next, due <= now else { continue }
            if process.state(at: now).hasEnded {
                changes.overrun += process.tasks.compactMap { tasks.removeValue(forKey: $0) }
                processes[key]?.tasks = []
            } else {
                changes.expiring += process.tasks
                processes[key]?.isWarned = true
            }
        }
        overruns += changes.overrun.count
        changes.expiring.sort()
        changes.overrun.sort { $0.id < $1.id }
        running = running.filter { processes[$0]?.next != nil }
        self.next = running.compactMap { processes[$0]?.next }.min()
        return changes
    }

    private mutating func schedule(_ key: ProcessKey) {
        let isRunning = processes[key]?.next != nil
        // Most processes have no tasks.
        guard isRunning || running.contains(key) else { return }
        if isRunning { running.insert(key) } else { running.remove(key) }
        next = running.compactMap { processes[$0]?.next }.min()
    }

    /// Returns whether a process has tasks whose time is not over.
    package func hasTasks(_ process: ProcessKey) -> Bool {
        processes[process]?.tasks.isEmpty == false
    }

    package var isEmpty: Bool { tasks.isEmpty }

    /// The tasks that have not ended, in the order in which they began.
    package var all: [Task] { tasks.values.sorted { $0.id < $1.id } }

    package func count(of user: UInt32) -> Int {
        tasks.values.count { $0.user == user }
    }

    package subscript(id: TaskID) -> Task? { tasks[id] }

    /// Returns the state of a task; an ended task has no time left.
    package func state(of id: TaskID, at now: UInt64) -> TaskState {
        let process = tasks[id].flatMap { processes[$0.process] }
        return process?.state(at: now) ?? TaskState(remaining: .zero, isExpiring: false, hasEnded: true)
    }

    /// Returns the names and the remaining time of a subscription's tasks, in the order in which they began.
    package func tasks(
        of subscription: SubscriptionID, in process: ProcessKey, at now: UInt64
    ) -> [SubscriptionInfo.Task] {
        guard let process = processes[process], !process.tasks.isEmpty else { return [] }
        let remaining = process.state(at: now).remaining
        return process.tasks.compactMap { id in
            guard let task = tasks[id], task.subscription == subscription else { return nil }
            return SubscriptionInfo.Task(name: task.name, remaining: remaining)
        }
    }
}
