// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore

/// The time of tasks, with a clock that advances on request.
@Suite final class TaskTableTests {
    private static let one = SubscriptionID(rawValue: 1)
    private static let two = SubscriptionID(rawValue: 2)
    private static let process = ProcessKey.visible(pid: 7, user: 1_000)
    private static let expiring = TaskState(remaining: .seconds(5), isExpiring: true)
    private static let ended = TaskState(remaining: .zero, hasEnded: true)

    private var table = TaskTable(time: .seconds(30))

    private func seconds(_ seconds: Double) -> UInt64 { UInt64(seconds * 1_000_000) }

    private func begin(_ id: TaskID, of subscription: SubscriptionID = one, at time: Double) -> TaskState {
        table.begin(task(id, of: subscription, in: Self.process), at: seconds(time))
    }

    private func task(_ id: TaskID, of subscription: SubscriptionID, in process: ProcessKey) -> TaskTable.Task {
        TaskTable.Task(id: id, name: "upload", subscription: subscription, process: process, user: 1_000)
    }

    private func move(toForeground: Bool, at time: Double) {
        table.moveSubscription(of: Self.process, toForeground: toForeground, at: seconds(time))
    }

    @Test("B95: the time runs only in the background, and the foreground restores it")
    func foregroundRestoresTheTime() {
        table.addSubscription(of: Self.process, isInForeground: true, at: 0)
        #expect(begin(1, at: 1) == TaskState())
        #expect(table.next == nil)
        move(toForeground: false, at: 10)
        #expect(table.state(of: 1, at: seconds(12)).remaining == .seconds(28))
        #expect(table.next == seconds(35))
        move(toForeground: true, at: 13)
        #expect(table.state(of: 1, at: seconds(14)) == TaskState())
        #expect(table.next == nil)
        move(toForeground: false, at: 20)
        #expect(table.next == seconds(45))
    }

    @Test("B95: the time begins when the last subscription in the foreground goes to the background, or ends")
    func lastSubscriptionDecides() {
        table.addSubscription(of: Self.process, isInForeground: true, at: 0)
        table.addSubscription(of: Self.process, isInForeground: true, at: 0)
        table.addSubscription(of: Self.process, isInForeground: false, at: 0)
        _ = begin(1, at: 0)
        move(toForeground: false, at: 1)
        #expect(table.next == nil)
        #expect(
            table.removeSubscription(Self.two, of: Self.process, isInForeground: true, at: seconds(2)).isEmpty)
        #expect(table.next == seconds(27))
    }

    @Test("each task is warned once, even if it begins while the warning is due")
    func eachTaskIsWarnedOnce() {
        table.addSubscription(of: Self.process, isInForeground: false, at: 0)
        _ = begin(1, at: 0)
        #expect(!begin(2, at: 26).isExpiring)
        #expect(table.advance(to: seconds(26)) == TaskTable.Changes(expiring: [1, 2]))
        #expect(table.advance(to: seconds(27)) == TaskTable.Changes())
        table.end(1)
        table.end(2)
        #expect(table.next == nil)
        // The next background has a warning of its own.
        move(toForeground: true, at: 28)
        move(toForeground: false, at: 28)
        _ = begin(3, at: 28)
        #expect(table.advance(to: seconds(53)).expiring == [3])
        #expect(table.state(of: 3, at: seconds(53)) == Self.expiring)
    }

    @Test("B97: after a suspend that was longer than the time, the tasks are over without a warning")
    func longSuspendEndsTasks() {
        table.addSubscription(of: Self.process, isInForeground: false, at: 0)
        _ = begin(1, at: 0)
        let overrun = [task(1, of: Self.one, in: Self.process)]
        #expect(table.advance(to: seconds(3_600)) == TaskTable.Changes(overrun: overrun))
        #expect(table.state(of: 1, at: seconds(3_600)) == Self.ended)
        #expect(table.next == nil)
    }

    @Test("the warning of a time shorter than ten seconds comes in its middle")
    func shortTimeIsHalved() {
        table.time = .seconds(4)
        table.addSubscription(of: Self.process, isInForeground: false, at: 0)
        _ = begin(1, at: 0)
        #expect(table.next == seconds(2))
        // A new time applies to later backgrounds only.
        table.time = .seconds(60)
        #expect(table.next == seconds(2))
        move(toForeground: true, at: 1)
        move(toForeground: false, at: 1)
        #expect(table.next == seconds(56))
    }

    @Test("B96: a process has tasks until the last of three has ended, and a task ends only once")
    func processHasTasksUntilTheLastHasEnded() {
        table.addSubscription(of: Self.process, isInForeground: false, at: 0)
        for id in 1...3 { _ = begin(TaskID(id), at: 0) }
        for id in [2, 2, 1] as [TaskID] {
            table.end(id)
            #expect(table.hasTasks(Self.process))
        }
        table.end(3)
        #expect(!table.hasTasks(Self.process))
        #expect(table.advance(to: seconds(60)) == TaskTable.Changes())
    }
}
