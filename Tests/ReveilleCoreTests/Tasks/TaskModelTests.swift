// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import Testing

@testable import ReveilleCore

/// Tasks of some processes that begin and end in a random order, compared with a naive model after each step.
@Suite struct TaskModelTests {
    private static let time: UInt64 = 30_000_000

    private struct Subscription {
        let id: SubscriptionID
        let process: ProcessKey
        var isInForeground: Bool
    }

    private struct Model {
        var table = TaskTable(time: .microseconds(Int64(TaskModelTests.time)))
        var now: UInt64 = 1
        var subscriptions: [Subscription] = []
        var tasks: [TaskTable.Task] = []
        /// The time at which each process went to the background.
        var starts: [ProcessKey: UInt64] = [:]
        var warned: Set<TaskID> = []
        private var last: UInt64 = 0

        mutating func step(_ random: inout SplitMix64) {
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1:
                subscribe(.visible(pid: .random(in: 7...9, using: &random), user: 1_000), .random(using: &random))
            case 2: unsubscribe(&random)
            case 3..<6: move(&random)
            case 6, 7: begin(&random)
            case 8: end(&random)
            default: pass(.random(in: 1...12_000_000, using: &random))
            }
        }

        private mutating func subscribe(_ process: ProcessKey, _ isInForeground: Bool) {
            last += 1
            let id = SubscriptionID(rawValue: last)
            subscriptions.append(Subscription(id: id, process: process, isInForeground: isInForeground))
            table.addSubscription(of: process, isInForeground: isInForeground, at: now)
        }

        private mutating func unsubscribe(_ random: inout SplitMix64) {
            guard let index = subscriptions.indices.randomElement(using: &random) else { return }
            let gone = subscriptions.remove(at: index)
            let ended = table.removeSubscription(
                gone.id, of: gone.process, isInForeground: gone.isInForeground, at: now)
            #expect(ended == tasks.filter { $0.subscription == gone.id }.map(\.id))
            tasks.removeAll { $0.subscription == gone.id }
        }

        private mutating func move(_ random: inout SplitMix64) {
            guard let index = subscriptions.indices.randomElement(using: &random) else { return }
            subscriptions[index].isInForeground.toggle()
            let subscription = subscriptions[index]
            table.moveSubscription(
                of: subscription.process, toForeground: subscription.isInForeground, at: now)
        }

        private mutating func begin(_ random: inout SplitMix64) {
            guard let subscription = subscriptions.randomElement(using: &random) else { return }
            last += 1
            let task = TaskTable.Task(
                id: TaskID(last), name: "task \(last)", subscription: subscription.id, process: subscription.process,
                user: 1_000)
            let expected = state(of: subscription.process)
            #expect(table.begin(task, at: now) == expected)
            guard !expected.hasEnded else { return }
            tasks.append(task)
            if expected.isExpiring { warned.insert(task.id) }
        }

        private mutating func end(_ random: inout SplitMix64) {
            guard let index = tasks.indices.randomElement(using: &random) else { return }
            table.end(tasks.remove(at: index).id)
        }

        /// Lets time pass; a long pause may have a warning and an end in it.
        private mutating func pass(_ time: UInt64) {
            now += time
            let over = tasks.filter { state(of: $0.process).hasEnded }
            tasks.removeAll(where: over.contains)
            let expiring = tasks.map(\.id).filter { id in
                !warned.contains(id) && tasks.contains { $0.id == id && state(of: $0.process).isExpiring }
            }
            warned.formUnion(expiring)
            #expect(table.advance(to: now) == TaskTable.Changes(expiring: expiring, overrun: over))
        }

        func state(of process: ProcessKey) -> TaskState {
            guard let start = starts[process] else { return TaskState() }
            let left = start + time > now ? start + time - now : 0
            return TaskState(
                remaining: .microseconds(left), isExpiring: left > 0 && left <= TaskTable.warning, hasEnded: left == 0)
        }

        mutating func settle() {
            for process in (7...9).map({ ProcessKey.visible(pid: $0, user: 1_000) }) {
                let own = subscriptions.filter { $0.process == process }
                if own.isEmpty || own.contains(where: \.isInForeground) {
                    starts[process] = nil
                    for task in tasks where task.process == process { warned.remove(task.id) }
                } else if starts[process] == nil {
                    starts[process] = now
                }
            }
        }

        func check() {
            #expect(table.all == tasks)
            for task in tasks { #expect(table.state(of: task.id, at: now) == state(of: task.process)) }
            let moments = tasks.compactMap { task in
                starts[task.process].map { $0 + time - (warned.contains(task.id) ? 0 : TaskTable.warning) }
            }
            #expect(table.next == moments.min())
        }

        private var time: UInt64 { TaskModelTests.time }
    }

    @Test(
        "B91, B93, B94, B95: in any order, tasks have their time, and each is warned once and ended once",
        arguments: 0..<200 as Range<UInt64>)
    func everyOrderKeepsTheTime(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var model = Model()
        for _ in 0..<200 {
            model.step(&random)
            model.settle()
            model.check()
        }
    }
}
