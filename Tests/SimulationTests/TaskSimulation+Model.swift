// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWire
import Varlink

// The naive model, and the comparison with it.
extension TaskSimulation {
    /// Begins or ends the times of processes.
    func settle() {
        for pid in Int32(7)...9 {
            let own = subscriptions.filter { $0.pid == pid }
            if own.isEmpty || own.contains(where: \.holds.isEmpty) {
                starts[pid] = nil
                for task in tasks where task.subscription.pid == pid { task.isWarned = false }
            } else if starts[pid] == nil {
                starts[pid] = now
            }
        }
    }

    func state(of pid: Int32) -> TaskState {
        guard let start = starts[pid] else { return TaskState() }
        guard now < start + Self.time else { return TaskState(remaining: .zero, hasEnded: true) }
        let left = start + Self.time - now
        return TaskState(remaining: .microseconds(left), isExpiring: left <= TaskTable.warning)
    }

    func expire() {
        for task in tasks {
            let state = state(of: task.subscription.pid)
            if state.hasEnded {
                over(task)
            } else if state.isExpiring, !task.isWarned {
                task.isWarned = true
                if task.unread == nil { task.unread = state } else { task.isDue = true }
            }
        }
    }

    func over(_ task: Task) {
        task.hasEnded = true
        if task.unread == nil { task.unread = TaskState(remaining: .zero, hasEnded: true) } else { task.isDue = true }
        tasks.removeAll { $0 === task }
        ended.append(task)
    }

    // MARK: - Checks

    /// Reads one reply of a task, if there is one.
    func read(_ task: Task) throws -> Bool {
        let reply = try task.holder.next()
        guard let reply, let state = task.unread else {
            guard reply == nil, task.unread == nil else {
                throw Broken(
                    "\(task.name) received \(String(describing: reply)), not \(String(describing: task.unread))")
            }
            return false
        }
        try expect(state, reply, of: task)
        task.unread = nil
        guard task.isDue else { return true }
        scene.turn()
        task.isDue = false
        let next = task.hasEnded ? TaskState(remaining: .zero, hasEnded: true) : self.state(of: task.subscription.pid)
        if next.isExpiring || next.hasEnded { task.unread = next }
        return true
    }

    func expect(_ state: TaskState, _ reply: Reply, of task: Task) throws {
        guard reply.error == nil, reply.parameters == state.parameters, reply.continues != state.hasEnded else {
            throw Broken("\(task.name) received \(reply), expected \(state)")
        }
    }

    /// Checks that the bus lists exactly the tasks of the model.
    func check() throws {
        let peer = scene.connect(uid: Self.user, pid: Self.shell)
        let list = try peer.call("ListSubscriptions").parameters["subscriptions"]?.arrayValue ?? []
        peer.stream.close()
        scene.turn()
        guard list.count == subscriptions.count else { throw Broken("\(list) of \(subscriptions.count)") }
        for listed in list.compactMap(\.objectValue) {
            let expected = tasks.filter { $0.subscription.id == listed["subscription"] }.map { task -> JSON in
                let remaining = state(of: task.subscription.pid).remaining.map { Int64($0 / .milliseconds(1)) }
                return ["name": .string(task.name), "remaining": remaining.map { .integer($0) } ?? .null]
            }
            guard listed["tasks"]?.arrayValue ?? [] == expected else {
                throw Broken("\(listed["subscription"] ?? "") has \(listed["tasks"] ?? "no tasks"), not \(expected)")
            }
        }
    }
}
