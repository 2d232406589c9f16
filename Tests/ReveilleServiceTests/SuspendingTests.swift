// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import Testing

@testable import ReveilleService

/// Suspensions, ends and wakes as values; `SuspensionTests` has them on a bus.
@Suite struct SuspendingTests {
    typealias Effect = Suspending.Effect
    private let app = SuspendingScene.app
    private let worker = SuspendingScene.worker
    private let cgroup = SuspendingScene.cgroup
    private let shell = SuspendingScene.shell
    private var scene = SuspendingScene()

    private let answered = Effect.answer(SuspendingScene.shell, refusal: nil)

    private func isRefused(_ effects: [Effect], _ part: String) -> Bool {
        effects.contains { if case .answer(_, let reason?) = $0 { reason.contains(part) } else { false } }
    }

    // MARK: - Suspend

    @Test("the caller is answered if the program leaves while it is examined before its freeze")
    mutating func programLeavesBeforeFreeze() {
        scene.start()
        scene.leaver = app
        #expect(isRefused(scene.suspend(), "ended"))
        #expect(scene.state.suspensions.isEmpty)
    }

    @Test("a program reads background and suspended before its cgroup is frozen, and then the caller is answered")
    mutating func programIsSuspended() {
        scene.start(hasRead: false)
        #expect(scene.suspend() == [.hold(.operator, 20), .awaitReading(20)])
        scene.change { $0.hasRead = true }
        scene.state.isDue = true
        // The announcement is read at once, since the subscription has read everything that this scene knows of.
        #expect(
            scene.settle() == [
                .setPhase(.suspended, app, from: nil), .setPhase(.suspended, app, from: nil), .hold(.frozen, 20),
                .freeze(cgroup, 1),
            ])
        #expect(scene.answer(1) == [answered])
        #expect(scene.suspend() == [.hold(.operator, 20), answered], "a second time it is at once")
    }

    @Test("a program that has not read is frozen five seconds after each announcement at the latest")
    mutating func hungProgramIsFrozen() {
        scene.start(hasRead: false)
        _ = scene.suspend()
        #expect(scene.state.next == scene.now + Departure.readingTime)
        #expect(scene.pass(Departure.readingTime - 1) == [.awaitReading(20)])
        #expect(scene.pass(1).contains(.freeze(cgroup, 1)))
    }

    @Test("a task delays the freeze, also of a process that has just moved into the cgroup")
    mutating func tasksDelay() {
        scene.start()
        scene.start(worker, 21, cgroup: "/other")
        _ = scene.hold(worker)
        scene.programs[app]?.hasTasks = true
        #expect(scene.suspend() == [.hold(.operator, 20)])
        scene.programs[app]?.hasTasks = false
        scene.programs[worker]?.cgroup = "/app/worker"
        scene.programs[worker]?.hasTasks = true
        #expect(!scene.pass(0).contains(.freeze(cgroup, 1)))
        scene.programs[worker]?.hasTasks = false
        #expect(scene.pass(0).contains(.freeze(cgroup, 1)))
    }

    @Test("a subscription in the foreground, the caller, or another suspension in the cgroup is an obstacle")
    mutating func obstacles() {
        scene.start()
        #expect(isRefused(scene.suspend(by: 30, in: "/app/part"), "process 30, the caller"))
        scene.start(worker, 21, cgroup: "/app/worker")
        #expect(isRefused(scene.suspend(), "process 21 in the same cgroup"))
        _ = scene.hold(worker)
        #expect(scene.suspend().contains(.freeze(cgroup, 1)))
        _ = scene.answer(1)
        scene.start(.followed(3), 22, cgroup: "/app/third")
        scene.change(.followed(3)) { $0.isInBackground = true }
        scene.state.leave(22, .followed(3), isLast: true)
        #expect(isRefused(scene.suspend(.followed(3)), "above or below"))
    }

    @Test("a failed freeze is answered with its reason, thawed, and the subscriptions are woken")
    mutating func failedFreeze() {
        scene.start()
        _ = scene.suspend()
        let effects = scene.answer(1, failure: "it is refused")
        #expect(effects == [.answer(shell, refusal: "/app could not be frozen: it is refused"), .thaw(cgroup, 2)])
        #expect(
            scene.answer(2) == [.forget(cgroup), .setPhase(.usual, app, from: .suspended), .sample(1, .frozen, 20)])
        #expect(scene.sample(1, 20) == [.release(.frozen, 20, into: nil)])
        #expect(scene.state.suspensions.isEmpty)
        #expect(scene.state.next == nil)
    }

    @Test("a freeze that succeeds long after its time is thawed, even if the suspension is over")
    mutating func lateFreeze() {
        scene.start()
        _ = scene.suspend()
        #expect(scene.pass(FreezeState.answerTime).contains(.thaw(cgroup, 2)))
        _ = scene.answer(2)
        _ = scene.sample(1, 20)
        #expect(scene.answer(1) == [.thaw(cgroup, 3)])
        _ = scene.answer(3)
        #expect(scene.state.suspensions.isEmpty)
    }

    @Test("a program that is suspended again during its thaw is frozen after it, even if the thaw fails")
    mutating func failedThawBeforeFreeze() {
        scene.start()
        _ = scene.suspend()
        _ = scene.answer(1)
        _ = scene.wake()
        #expect(scene.sample(1, 20).contains(.thaw(cgroup, 2)))
        #expect(scene.suspend().last == answered, "the wake, whose thaw is no longer wanted")
        #expect(scene.answer(2, failure: "it is refused") == [.freeze(cgroup, 3)])
        #expect(scene.answer(3) == [answered])
        #expect(scene.state.next == nil)
    }

    @Test("a process that subscribes in a frozen cgroup is held, and in the foreground takes the suspension back")
    mutating func arrivals() {
        scene.start()
        _ = scene.suspend()
        _ = scene.answer(1)
        scene.programs[worker] = ProgramFacts(
            process: worker, id: 21, cgroup: "/app/worker", members: [.init(connection: 21, isInBackground: true)])
        scene.state.join(21, worker, endsInBackground: false, isFrozen: false)
        #expect(scene.settle() == [.hold(.frozen, 21)])
        #expect(scene.start(.followed(3), 22) == [.hold(.frozen, 22), .thaw(cgroup, 2)])
    }

    @Test("the end of the last process thaws the cgroup, and a caller that has closed is not answered")
    mutating func ends() {
        scene.start()
        scene.programs[app]?.hasTasks = true
        _ = scene.suspend()
        scene.state.leave(shell, nil, isLast: false)
        scene.state.leave(20, app, isLast: true)
        scene.programs = [:]
        #expect(scene.settle() == [.forget(cgroup)])
        #expect(scene.state.suspensions.isEmpty)
    }

    // MARK: - End

    @Test("a program ends once its last subscription is in the background, and gets one SIGTERM")
    mutating func declaredEnd() {
        scene.start(ends: true)
        scene.programs[app]?.members.append(.init(connection: 30, isInBackground: false))
        scene.state.hold(scene.subject(), until: nil, wasInBackground: false, at: scene.now)
        scene.programs[app]?.members[0].isInBackground = true
        #expect(scene.settle() == [.hold(.operator, 20)])
        scene.programs[app]?.members[1].isInBackground = true
        scene.state.hold(scene.subject(reason: .app), until: nil, wasInBackground: false, at: scene.now)
        #expect(
            scene.settle() == [.hold(.app, 20), .setPhase(.terminating, app, from: nil), .terminate(app)])
        #expect(scene.pass(60_000_000).isEmpty)
        #expect(scene.hold() == [.hold(.operator, 20)], "it was in the background already")
        #expect(isRefused(scene.suspend(), "ends in the background"))
    }

    @Test("B106: a wake takes the end back, and its announcement after the sample; another hold keeps both")
    mutating func wakeTakesTheEndBack() {
        scene.start(ends: true, hasRead: false)
        _ = scene.hold()
        _ = scene.wake(others: .app)
        #expect(scene.state.endings.map(\.process) == [app])
        #expect(scene.pass(Departure.readingTime).contains(.terminate(app)))
        scene.change { $0.isInBackground = false }
        _ = scene.hold()
        _ = scene.wake()
        #expect(scene.state.endings.isEmpty)
        #expect(
            scene.sample(2, 20) == [
                .release(.operator, 20, into: .usual), .setPhase(.usual, app, from: .terminating), answered,
            ])
    }

    @Test("a subscription in the foreground takes an announced end back, even between a wake and the next hold")
    mutating func subscriptionTakesTheEndBack() {
        scene.start(ends: true)
        scene.state.hold(scene.subject(), until: nil, wasInBackground: false, at: scene.now)
        scene.change { $0.isInBackground = true }
        scene.state.advance(with: scene.programs, at: scene.now)
        scene.change { $0.hasRead = false }
        #expect(scene.settle().contains(.setPhase(.terminating, app, from: nil)))
        _ = scene.wake()
        scene.state.hold(scene.subject(), until: nil, wasInBackground: true, at: scene.now)
        scene.programs[app]?.members.append(.init(connection: 30, isInBackground: false))
        scene.state.join(30, app, endsInBackground: false, isFrozen: false)
        #expect(scene.settle().contains(.setPhase(.usual, app, from: .terminating)))
        #expect(scene.sample(1, 20) == [answered])
    }

    // MARK: - An earlier bus

    @Test("what an earlier bus left frozen is thawed again and again, but not beside a suspension, and logged once")
    mutating func formerCgroups() {
        scene = SuspendingScene(formerCgroups: [cgroup])
        #expect(
            scene.settle() == [.log(.notice, "thawing /app, which the last bus left frozen"), .thaw(cgroup, 1)])
        _ = scene.answer(1, failure: "it is refused")
        #expect(scene.pass(FreezeState.answerTime - 1).isEmpty)
        #expect(scene.pass(1) == [.thaw(cgroup, 2)])
        #expect(scene.answer(2, failure: "it is refused") == [.log(.debug, "/app could not be thawed: it is refused")])
        scene.start(worker, 21, cgroup: "/app/part")
        #expect(scene.suspend(worker).contains(.freeze("/app/part", 1)))
        _ = scene.answer(1, cgroup: "/app/part")
        #expect(scene.state.next == nil)
        #expect(scene.pass(FreezeState.answerTime).isEmpty)
        scene.state.leave(21, worker, isLast: true)
        #expect(scene.settle() == [.thaw(cgroup, 3), .thaw("/app/part", 2)])
        #expect(scene.answer(2, cgroup: "/app/part").contains(.forget("/app/part")))
        #expect(scene.answer(3) == [.forget(cgroup)])
        #expect(scene.state.suspensions.isEmpty)
    }
}
