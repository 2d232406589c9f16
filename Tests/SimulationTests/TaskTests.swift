// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// The time of tasks, and what ends them.
@Suite(.timeLimit(.minutes(10))) struct TaskTests {
    private let tasks: TaskScene

    private var scene: BusScene { tasks.scene }

    init() throws {
        tasks = try TaskScene()
    }

    @Test("B91: a task in the background is listed with its name and remaining time, and the subscription stays held")
    func taskIsListed() throws {
        let (holder, first) = try tasks.begin()
        #expect(first.continues)
        #expect(try tasks.tasks() == [["name": "upload", "remaining": .null]])
        try tasks.setState("background")
        scene.pass(.seconds(1))
        for _ in 0..<2 {
            scene.change(.battery)
            scene.pass(.milliseconds(500))
        }
        #expect(try tasks.subscriber.next() == nil)
        let listed = try tasks.subscription()
        #expect(listed["held"] == ["app"])
        let left = try #require(try tasks.tasks().first?["remaining"]?.integerValue)
        #expect((27_900...28_000).contains(left))
        try tasks.setState("foreground")
        #expect(try tasks.subscriber.next()?.parameters["events"]?.arrayValue?.count == 1)
        #expect(try holder.next() == nil)
    }

    @Test("B92: a task that ends within its time is not warned, and is no longer listed")
    func endedTaskIsNotWarned() throws {
        let (holder, _) = try tasks.begin()
        try tasks.setState("background")
        scene.pass(.seconds(20))
        #expect(try holder.next() == nil)
        holder.stream.close()
        scene.turn()
        #expect(try tasks.tasks().isEmpty)
        scene.pass(.seconds(30), step: .seconds(1))
        #expect(!scene.log.all.contains { $0.contains("overrun") })
    }

    @Test("B93: a task that does not end is warned once 5 s before the end, then ended, and counted as overrun")
    func taskIsWarnedAndEnded() throws {
        let (holder, first) = try tasks.begin("up\"load")
        #expect(first.parameters == ["remaining": .null])
        try tasks.setState("background")
        scene.pass(.milliseconds(24_990))
        #expect(try holder.next() == nil)
        scene.pass(.milliseconds(10) + .seconds(25) / 100)
        let warning = try #require(try holder.next())
        #expect(warning.continues)
        #expect(warning.parameters["expiring"] == true && warning.parameters["ended"] == nil)
        #expect((4_700...5_000).contains(try #require(warning.remaining)))
        #expect(try tasks.subscription()["held"] == ["app"])
        scene.pass(.seconds(4))
        #expect(try holder.next() == nil)
        scene.pass(.seconds(2))
        let end = try #require(try holder.next())
        #expect(!end.continues)
        #expect(end.parameters == ["remaining": 0, "ended": true])
        #expect(try tasks.tasks().isEmpty)
        #expect(scene.log.all.contains { $0.contains(#"the task "up\"load" is over (overrun 1)"#) })
        // The connection takes calls again.
        #expect(try holder.call("GetState", ["aspects": ["battery"]]).error == nil)
        let again = try holder.call("BeginTask", ["subscription": tasks.id, "name": "late"], more: true)
        #expect(!again.continues)
        #expect(again.parameters == ["remaining": 0, "ended": true])
    }

    @Test("B93: warnings and ends pass the hold of an operator too")
    func noticesPassHolds() throws {
        let (holder, _) = try tasks.begin()
        try tasks.setState("background", pid: 8)
        scene.pass(.seconds(26))
        #expect(try holder.next()?.parameters["expiring"] == true)
        scene.pass(.seconds(6))
        #expect(try holder.next()?.parameters["ended"] == true)
    }

    @Test("B94: a task ends with its connection, and without a notice")
    func taskEndsWithItsConnection() throws {
        let (one, _) = try tasks.begin("one")
        let (two, _) = try tasks.begin("two")
        try tasks.setState("background")
        one.stream.close()
        scene.turn()
        #expect(try tasks.tasks().map { $0["name"] } == ["two"])
        #expect(try two.next() == nil)
    }

    @Test(
        "B95: in the foreground there is no limit; the time begins with the process's last background, the foreground restores it"
    )
    func foregroundRestoresTheTime() throws {
        let other = scene.connect()
        let second = try other.call("Subscribe", ["aspects": ["locale"]], more: true).parameters["subscription"] ?? ""
        let (holder, first) = try tasks.begin()
        #expect(first.remaining == nil)
        try tasks.setState("background")
        // The other subscription of the process is in the foreground.
        scene.pass(.seconds(60), step: .seconds(1))
        #expect(try tasks.tasks() == [["name": "upload", "remaining": .null]])
        _ = try scene.connect().call("SetState", ["subscription": second, "state": "background"])
        scene.pass(.seconds(20))
        try tasks.setState("foreground")
        #expect(try tasks.tasks() == [["name": "upload", "remaining": .null]])
        scene.pass(.seconds(20))
        try tasks.setState("background")
        #expect(try #require(try tasks.tasks().first?["remaining"]?.integerValue) > 29_900)
        #expect(try holder.next() == nil)
    }

    @Test("B95: a task that begins in the background gets what is left of the time, with its warning at once")
    func laterTaskGetsTheRest() throws {
        try tasks.setState("background")
        scene.pass(.seconds(10))
        let (_, middle) = try tasks.begin("middle")
        #expect((19_900...20_000).contains(try #require(middle.remaining)))
        scene.pass(.seconds(17))
        let (_, late) = try tasks.begin("late")
        #expect(late.parameters["expiring"] == true && late.continues)
        #expect((2_900...3_000).contains(try #require(late.remaining)))
    }

    @Test("B95: a freeze alone takes no time from tasks")
    func freezeTakesNoTime() throws {
        let (holder, _) = try tasks.begin()
        scene.bus.setFrozen(true, tasks.subscriber.stream)
        scene.pass(.seconds(60), step: .seconds(1))
        #expect(try tasks.subscription()["held"] == ["frozen"])
        #expect(try tasks.tasks() == [["name": "upload", "remaining": .null]])
        #expect(try holder.next() == nil)
    }

    @Test("B97: a suspend of the machine that is longer than the time ends the task")
    func suspendOfTheMachineEndsTheTask() throws {
        let (holder, _) = try tasks.begin()
        try tasks.setState("background")
        scene.loop.advance(.seconds(3_600))
        #expect(try holder.next()?.parameters == ["remaining": 0, "ended": true])
        #expect(try tasks.tasks().isEmpty)
    }
}
