// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// The tasks of programs: BeginTask, its replies, and what ends it.
@Suite(.timeLimit(.minutes(10))) struct TaskTests {
    private let scene: BrokerScene
    private let subscriber: ScenePeer
    private let id: JSON

    init() throws {
        scene = try BrokerScene()
        subscriber = scene.connect()
        id = try #require(
            try subscriber.call("Subscribe", ["aspects": ["battery"]], more: true).parameters["subscription"])
    }

    private func begin(_ name: String = "upload", uid: UInt32 = 1_000, pid: Int32 = 7) throws -> (ScenePeer, Reply) {
        let holder = scene.connect(uid: uid, pid: pid)
        return (holder, try holder.call("BeginTask", ["subscription": id, "name": .string(name)], more: true))
    }

    private func setState(_ state: String, pid: Int32 = 7) throws {
        let reply = try scene.connect(pid: pid).call("SetState", ["subscription": id, "state": .string(state)])
        #expect(reply.error == nil)
    }

    private func subscription() throws -> JSONObject {
        let list = try scene.connect().call("ListSubscriptions").parameters["subscriptions"]?.arrayValue ?? []
        let found = list.compactMap(\.objectValue).first { $0["subscription"] == id }
        return try #require(found)
    }

    private func tasks() throws -> [JSONObject] {
        try subscription()["tasks"]?.arrayValue?.compactMap(\.objectValue) ?? []
    }

    private func remaining(_ reply: Reply?) -> Int64? { reply?.parameters["remaining"]?.integerValue }

    @Test("B91: a task in the background is listed with its name and remaining time, and the subscription stays held")
    func taskIsListed() throws {
        let (holder, first) = try begin()
        #expect(first.continues)
        #expect(try tasks() == [["name": "upload", "remaining": .null]])
        try setState("background")
        scene.pass(.seconds(1))
        for _ in 0..<2 {
            scene.change(.battery)
            scene.pass(.milliseconds(500))
        }
        #expect(try subscriber.next() == nil)
        let listed = try subscription()
        #expect(listed["held"] == ["app"])
        let left = try #require(try tasks().first?["remaining"]?.integerValue)
        #expect((27_900...28_000).contains(left))
        try setState("foreground")
        #expect(try subscriber.next()?.parameters["events"]?.arrayValue?.first?.objectValue?["changes"] == 2)
        #expect(try holder.next() == nil)
    }

    @Test("B92: a task that ends within its time is not warned, and is no longer listed")
    func endedTaskIsNotWarned() throws {
        let (holder, _) = try begin()
        try setState("background")
        scene.pass(.seconds(20))
        #expect(try holder.next() == nil)
        holder.stream.close()
        scene.turn()
        #expect(try tasks().isEmpty)
        scene.pass(.seconds(30), step: .seconds(1))
        #expect(!scene.log.all.contains { $0.contains("overrun") })
    }

    @Test("B93: a task that does not end is warned once 5 s before the end, then ended, and counted as overrun")
    func taskIsWarnedAndEnded() throws {
        let (holder, first) = try begin("up\"load")
        #expect(first.parameters == ["remaining": .null])
        try setState("background")
        scene.pass(.milliseconds(24_990))
        #expect(try holder.next() == nil)
        scene.pass(.milliseconds(10) + .seconds(25) / 100)
        let warning = try #require(try holder.next())
        #expect(warning.continues)
        #expect(warning.parameters["expiring"] == true && warning.parameters["ended"] == nil)
        #expect((4_700...5_000).contains(try #require(remaining(warning))))
        #expect(try subscription()["held"] == ["app"])
        scene.pass(.seconds(4))
        #expect(try holder.next() == nil)
        scene.pass(.seconds(2))
        let end = try #require(try holder.next())
        #expect(!end.continues)
        #expect(end.parameters == ["remaining": 0, "ended": true])
        #expect(try tasks().isEmpty)
        #expect(scene.log.all.contains { $0.contains(#"the task "up\"load" is over (overrun 1)"#) })
        // The connection takes calls again.
        #expect(try holder.call("GetState", ["aspects": ["battery"]]).error == nil)
        let again = try holder.call("BeginTask", ["subscription": id, "name": "late"], more: true)
        #expect(!again.continues)
        #expect(again.parameters == ["remaining": 0, "ended": true])
    }

    @Test("B93: warnings and ends pass the hold of an operator too")
    func noticesPassHolds() throws {
        let (holder, _) = try begin()
        try setState("background", pid: 8)
        scene.pass(.seconds(26))
        #expect(try holder.next()?.parameters["expiring"] == true)
        scene.pass(.seconds(6))
        #expect(try holder.next()?.parameters["ended"] == true)
    }

    @Test("B93: a holder that does not read finds one reply: after its first reply, the last state of the task")
    func noticesWaitForTheReader() throws {
        let holder = scene.connect()
        holder.send("BeginTask", ["subscription": id, "name": "upload"], more: true)
        scene.pass(.milliseconds(10))
        try setState("background")
        scene.pass(.seconds(60), step: .milliseconds(100))
        // The end of the task does not wait for the reader.
        #expect(try tasks().isEmpty)
        #expect(try holder.next()?.parameters == ["remaining": .null])
        #expect(try holder.next()?.parameters == ["remaining": 0, "ended": true])
    }

    @Test("B94: a task ends with its connection, and without a notice")
    func taskEndsWithItsConnection() throws {
        let (one, _) = try begin("one")
        let (two, _) = try begin("two")
        try setState("background")
        one.stream.close()
        scene.turn()
        #expect(try tasks().map { $0["name"] } == ["two"])
        #expect(try two.next() == nil)
    }

    @Test("a task ends with its subscription")
    func taskEndsWithItsSubscription() throws {
        let (holder, _) = try begin()
        subscriber.stream.close()
        scene.turn()
        let end = try #require(try holder.next())
        #expect(end.parameters == ["remaining": 0, "ended": true])
        #expect(!end.continues)
        #expect(!scene.log.all.contains { $0.contains("overrun") })
        let reply = try holder.call("BeginTask", ["subscription": id, "name": "upload"], more: true)
        #expect(reply.error == "org.reveille.Bus.NoSuchSubscription")
    }

    @Test(
        "B95: in the foreground there is no limit; the time begins with the process's last background, the foreground restores it"
    )
    func foregroundRestoresTheTime() throws {
        let other = scene.connect()
        let second = try other.call("Subscribe", ["aspects": ["locale"]], more: true).parameters["subscription"] ?? ""
        let (holder, first) = try begin()
        #expect(remaining(first) == nil)
        try setState("background")
        // The other subscription of the process is in the foreground.
        scene.pass(.seconds(60), step: .seconds(1))
        #expect(try tasks() == [["name": "upload", "remaining": .null]])
        _ = try scene.connect().call("SetState", ["subscription": second, "state": "background"])
        scene.pass(.seconds(20))
        try setState("foreground")
        #expect(try tasks() == [["name": "upload", "remaining": .null]])
        scene.pass(.seconds(20))
        try setState("background")
        #expect(try #require(try tasks().first?["remaining"]?.integerValue) > 29_900)
        #expect(try holder.next() == nil)
    }

    @Test("B95: a task that begins in the background gets what is left of the time, with its warning at once")
    func laterTaskGetsTheRest() throws {
        try setState("background")
        scene.pass(.seconds(10))
        let (_, middle) = try begin("middle")
        #expect((19_900...20_000).contains(try #require(remaining(middle))))
        scene.pass(.seconds(17))
        let (_, late) = try begin("late")
        #expect(late.parameters["expiring"] == true && late.continues)
        #expect((2_900...3_000).contains(try #require(remaining(late))))
    }

    @Test("B95: a freeze alone takes no time from tasks")
    func freezeTakesNoTime() throws {
        let (holder, _) = try begin()
        scene.bus.setFrozen(true, subscriber.stream)
        scene.pass(.seconds(60), step: .seconds(1))
        #expect(try subscription()["held"] == ["frozen"])
        #expect(try tasks() == [["name": "upload", "remaining": .null]])
        #expect(try holder.next() == nil)
    }

    @Test("B97: a suspend of the machine that is longer than the time ends the task")
    func suspendOfTheMachineEndsTheTask() throws {
        let (holder, _) = try begin()
        try setState("background")
        scene.loop.advance(.seconds(3_600))
        #expect(try holder.next()?.parameters == ["remaining": 0, "ended": true])
        #expect(try tasks().isEmpty)
    }

    @Test("B98: one task more than a user may have is refused with QuotaExceeded, which names the limit")
    func tasksAreLimited() throws {
        var holders: [ScenePeer] = []
        for number in 0..<16 { holders.append(try begin("\(number)").0) }
        let (refused, error) = try begin()
        #expect(error.error == "org.reveille.Bus.QuotaExceeded")
        #expect(error.parameters == ["quota": "tasks", "limit": 16])
        // The tasks of another user, also root's for this subscription, are counted apart.
        #expect(try begin(uid: 0, pid: 1).1.continues)
        holders[0].stream.close()
        scene.turn()
        #expect(try refused.call("BeginTask", ["subscription": id, "name": "upload"], more: true).continues)
        #expect(try tasks().count == 17)
    }

    @Test("BeginTask is for one's own user and root, must be called with more, and needs a name and a subscription")
    func refusals() throws {
        #expect(try begin(uid: 1_001).1.error == "org.varlink.service.PermissionDenied")
        #expect(try begin(uid: 0, pid: 1).1.continues)
        let peer = scene.connect()
        let plain = try peer.call("BeginTask", ["subscription": id, "name": "upload"])
        #expect(plain.error == "org.varlink.service.ExpectedMore")
        for name in ["", String(repeating: "a", count: 129)] {
            let reply = try peer.call("BeginTask", ["subscription": id, "name": .string(name)], more: true)
            #expect(reply.error == "org.varlink.service.InvalidParameter")
            #expect(reply.parameters == ["parameter": "name"])
        }
        let unknown = try peer.call("BeginTask", ["subscription": "0000000000000000", "name": "a"], more: true)
        #expect(unknown.error == "org.reveille.Bus.NoSuchSubscription")
    }

    @Test("calls behind a task are answered when it has ended")
    func callsWaitForTheEnd() throws {
        let (holder, _) = try begin()
        holder.send("GetState", ["aspects": ["battery"]])
        scene.pass(.seconds(1))
        #expect(try holder.next() == nil)
        subscriber.stream.close()
        #expect(try holder.next()?.parameters["ended"] == true)
        scene.pass(.seconds(1))
        #expect(try holder.next()?.parameters["events"] != nil)
    }

    @Test("the foreground withdraws a warning that has not been read")
    func foregroundWithdrawsTheWarning() throws {
        let holder = scene.connect()
        holder.send("BeginTask", ["subscription": id, "name": "upload"], more: true)
        scene.pass(.milliseconds(10))
        try setState("background")
        scene.pass(.seconds(27))
        try setState("foreground")
        #expect(try holder.next()?.parameters == ["remaining": .null])
        #expect(try holder.next() == nil)
        try setState("background")
        scene.pass(.seconds(26))
        #expect(try holder.next()?.parameters["expiring"] == true)
    }
}
