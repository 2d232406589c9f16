// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@testable import ReveilleService

/// Wakes and the times of holds as values.
@Suite struct SuspendingWakeTests {
    private let app = SuspendingScene.app
    private let worker = SuspendingScene.worker
    private let cgroup = SuspendingScene.cgroup
    private let shell = SuspendingScene.shell
    private let answered = Suspending.Effect.answer(SuspendingScene.shell, refusal: nil)
    private var scene = SuspendingScene()

    @Test("a wake takes a sample, releases the hold, and then answers") mutating func wakeHasSteps() {
        scene.start()
        _ = scene.hold()
        #expect(scene.wake() == [.sample(1, .operator, 20)])
        #expect(scene.sample(1, 20) == [.release(.operator, 20, into: .usual), answered])
        #expect(scene.sample(1, 20).isEmpty, "once")
        #expect(scene.state.wakes.isEmpty && scene.state.waking.isEmpty)
    }

    @Test("a hold during the sample stays, and the wake is answered") mutating func laterHoldDecides() {
        scene.start()
        _ = scene.hold()
        _ = scene.wake()
        #expect(scene.hold() == [.hold(.operator, 20)])
        #expect(scene.sample(1, 20) == [answered])
    }

    @Test("a wake thaws a frozen program, samples for each subscription, and answers after the last sample")
    mutating func wakeThawsFirst() {
        scene.start()
        scene.start(worker, 21)
        _ = scene.hold(worker)
        _ = scene.suspend()
        _ = scene.answer(1)
        #expect(scene.wake() == [.sample(1, .operator, 20)])
        #expect(scene.sample(1, 20) == [.release(.operator, 20, into: .usual), .thaw(cgroup, 2)])
        let thawed = scene.answer(2)
        #expect(thawed.suffix(2) == [.sample(2, .frozen, 20), .sample(2, .frozen, 21)])
        #expect(scene.sample(2, 21) == [.release(.frozen, 21, into: nil)])
        #expect(scene.sample(2, 20) == [.release(.frozen, 20, into: nil), answered])
    }

    @Test("a wake answers a suspension on its way, which freezes nothing from then on")
    mutating func wakeAnswersSuspension() {
        scene.start(hasRead: false)
        _ = scene.suspend()
        #expect(scene.wake() == [.answer(shell, refusal: "it was woken"), .sample(1, .operator, 20)])
        #expect(scene.pass(Departure.readingTime).isEmpty)
        let effects = scene.sample(1, 20)
        #expect(effects.first == .release(.operator, 20, into: .usual))
        #expect(effects.contains(.setPhase(.usual, app, from: .suspended)))
    }

    @Test("a thaw by somebody else takes the suspension back") mutating func foreignThaw() {
        scene.start()
        _ = scene.suspend()
        _ = scene.answer(1)
        scene.state.noteFrozen(false, app, [20], at: scene.now)
        #expect(scene.settle() == [.thaw(cgroup, 2), .sample(1, .frozen, 20)])
    }

    @Test("a hold ends at its last time, unless it is cleared or its connection closes before")
    mutating func deadlines() {
        scene.start()
        _ = scene.hold(until: scene.now + 10)
        #expect(scene.state.next == scene.now + 10)
        _ = scene.hold(until: scene.now + 20)
        #expect(scene.pass(19).isEmpty)
        #expect(scene.pass(1) == [.expire(.operator, 20)])
        #expect(scene.state.next == nil)
        _ = scene.hold(until: scene.now + 10)
        _ = scene.hold()
        #expect(scene.state.next == nil)
        _ = scene.hold(until: scene.now + 10)
        scene.state.leave(20, app, isLast: true)
        #expect(scene.state.next == nil)
    }

    @Test("of many holds that end together, a turn ends a part, the soonest first")
    func manyDeadlines() {
        var deadlines = HoldDeadlines()
        for number: UInt64 in (0..<1_000).reversed() { deadlines.set(number, number, .app) }
        let first = deadlines.takeDue(at: 2_000).map(\.connection)
        #expect(!first.isEmpty && first.count < 1_000 && first == Array(0..<UInt64(first.count)))
        #expect(deadlines.next == UInt64(first.count))
    }
}
