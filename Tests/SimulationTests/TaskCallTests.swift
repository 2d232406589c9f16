// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSimulation
import Testing
import Varlink

/// The replies to BeginTask, and its refusals.
@Suite(.timeLimit(.minutes(10))) struct TaskCallTests {
    private let tasks: TaskScene

    private var scene: BusScene { tasks.scene }

    init() throws {
        tasks = try TaskScene()
    }

    @Test("B93: a holder that does not read finds one reply: after its first reply, the last state of the task")
    func noticesWaitForTheReader() throws {
        let holder = tasks.beginUnread()
        try tasks.setState("background")
        scene.pass(.seconds(60), step: .milliseconds(100))
        // The end of the task does not wait for the reader.
        #expect(try tasks.tasks().isEmpty)
        #expect(try holder.next()?.parameters == ["remaining": .null])
        #expect(try holder.next()?.parameters == ["remaining": 0, "ended": true])
    }

    @Test("a task ends with its subscription")
    func taskEndsWithItsSubscription() throws {
        let (holder, _) = try tasks.begin()
        tasks.subscriber.stream.close()
        scene.turn()
        let end = try #require(try holder.next())
        #expect(end.parameters == ["remaining": 0, "ended": true])
        #expect(!end.continues)
        #expect(!scene.log.all.contains { $0.contains("overrun") })
        let reply = try holder.call("BeginTask", ["subscription": tasks.id, "name": "upload"], more: true)
        #expect(reply.error == "org.reveille.Bus.NoSuchSubscription")
    }

    @Test("B98: one task more than a user may have is refused with QuotaExceeded, which names the limit")
    func tasksAreLimited() throws {
        var holders: [ScenePeer] = []
        for number in 0..<16 { holders.append(try tasks.begin("\(number)").0) }
        let (refused, error) = try tasks.begin()
        #expect(error.error == "org.reveille.Bus.QuotaExceeded")
        #expect(error.parameters == ["quota": "tasks", "limit": 16])
        // The tasks of another user, also root's for this subscription, are counted apart.
        #expect(try tasks.begin(uid: 0, pid: 1).1.continues)
        holders[0].stream.close()
        scene.turn()
        #expect(try refused.call("BeginTask", ["subscription": tasks.id, "name": "upload"], more: true).continues)
        #expect(try tasks.tasks().count == 17)
    }

    @Test("BeginTask is for one's own user and root, must be called with more, and needs a name and a subscription")
    func refusals() throws {
        #expect(try tasks.begin(uid: 1_001).1.error == "org.varlink.service.PermissionDenied")
        #expect(try tasks.begin(uid: 0, pid: 1).1.continues)
        let peer = scene.connect()
        let plain = try peer.call("BeginTask", ["subscription": tasks.id, "name": "upload"])
        #expect(plain.error == "org.varlink.service.ExpectedMore")
        for name in ["", String(repeating: "a", count: 129)] {
            let reply = try peer.call("BeginTask", ["subscription": tasks.id, "name": .string(name)], more: true)
            #expect(reply.error == "org.varlink.service.InvalidParameter")
            #expect(reply.parameters == ["parameter": "name"])
        }
        let unknown = try peer.call("BeginTask", ["subscription": "0000000000000000", "name": "a"], more: true)
        #expect(unknown.error == "org.reveille.Bus.NoSuchSubscription")
    }

    @Test("calls behind a task are answered when it has ended")
    func callsWaitForTheEnd() throws {
        let (holder, _) = try tasks.begin()
        holder.send("GetState", ["aspects": ["battery"]])
        scene.pass(.seconds(1))
        #expect(try holder.next() == nil)
        tasks.subscriber.stream.close()
        #expect(try holder.next()?.parameters["ended"] == true)
        scene.pass(.seconds(1))
        #expect(try holder.next()?.parameters["events"] != nil)
    }

    @Test("the foreground withdraws a warning that has not been read")
    func foregroundWithdrawsTheWarning() throws {
        let holder = tasks.beginUnread()
        try tasks.setState("background")
        scene.pass(.seconds(27))
        try tasks.setState("foreground")
        #expect(try holder.next()?.parameters == ["remaining": .null])
        #expect(try holder.next() == nil)
        try tasks.setState("background")
        scene.pass(.seconds(26))
        #expect(try holder.next()?.parameters["expiring"] == true)
    }
}
