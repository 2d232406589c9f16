// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWire
import Testing
import Varlink

/// Tasks of a subscription of the process 7 of user 1000; `TaskModelTests` compares their times with a model.
@Suite(.timeLimit(.minutes(10))) struct TaskTests {
    private static let ended: JSONObject = ["remaining": 0, "ended": true]

    private let life: SuspensionScene
    private let subscription: SceneSubscription
    private var scene: BusScene { life.scene }

    init() throws {
        life = try SuspensionScene()
        subscription = try life.subscribe(7, aspects: ["battery"])
    }

    private func begin(
        _ name: String = "upload", uid: UInt32 = 1_000, pid: Int32 = 7
    ) throws -> (holder: ScenePeer, reply: Reply) {
        try life.begin(name, of: subscription, uid: uid, pid: pid)
    }

    private func move(to state: String) throws {
        #expect(try life.set(state, of: subscription, by: scene.connect(pid: 7)).isEmpty)
    }

    private func tasks() throws -> [SubscriptionInfo.Task] {
        try #require(try life.status(subscription)).tasks
    }

    @Test("B93: a task that does not end is warned once 5 s before the end, then ended, and counted as overrun")
    func taskIsWarnedAndEnded() throws {
        let (holder, first) = try begin("up\"load")
        #expect(first.parameters == ["remaining": .null])
        try move(to: "background")
        scene.pass(.milliseconds(24_990))
        #expect(try holder.next() == nil)
        scene.pass(.milliseconds(10) + .seconds(25) / 100)
        let warning = try #require(try holder.next())
        #expect(warning.continues)
        #expect(warning.parameters["expiring"] == true && warning.parameters["ended"] == nil)
        #expect((4_700...5_000).contains(try #require(warning.parameters["remaining"]?.integerValue)))
        #expect(try life.status(subscription)?.holds == .app)
        scene.pass(.seconds(4))
        #expect(try holder.next() == nil)
        scene.pass(.seconds(2))
        let end = try #require(try holder.next())
        #expect(!end.continues)
        #expect(end.parameters == Self.ended)
        #expect(try tasks().isEmpty)
        #expect(scene.log.all.contains { $0.contains(#"the task "up\"load" is over (overrun 1)"#) })
        // The connection takes calls again.
        #expect(try holder.call("GetState", ["aspects": ["battery"]]).error == nil)
        let again = try holder.call(
            "BeginTask", ["subscription": .string(subscription.id), "name": "late"], more: true)
        #expect(!again.continues)
        #expect(again.parameters == Self.ended)
    }

    @Test("B98: a task beyond the limit of its user is refused with QuotaExceeded, which names the limit")
    func tasksAreLimited() throws {
        let holders = try (0..<16).map { try begin("\($0)").holder }
        let (refused, error) = try begin()
        #expect(error.error == "org.reveille.Bus.QuotaExceeded")
        #expect(error.parameters == ["quota": "tasks", "limit": 16])
        // Other users' tasks are counted separately, even root's for this subscription.
        #expect(try begin(uid: 0, pid: 1).reply.continues)
        holders[0].stream.close()
        scene.turn()
        let call: JSONObject = ["subscription": .string(subscription.id), "name": "upload"]
        #expect(try refused.call("BeginTask", call, more: true).continues)
        #expect(try tasks().count == 17)
    }

    @Test("BeginTask is for one's own user and root, must be called with more, and needs a name and a subscription")
    func refusals() throws {
        #expect(try begin(uid: 1_001).reply.error == "org.varlink.service.PermissionDenied")
        #expect(try begin(uid: 0, pid: 1).reply.continues)
        let peer = scene.connect()
        let plain = try peer.call("BeginTask", ["subscription": .string(subscription.id), "name": "upload"])
        #expect(plain.error == "org.varlink.service.ExpectedMore")
        for name in ["", String(repeating: "a", count: 129)] {
            let (_, reply) = try begin(name)
            #expect(reply.error == "org.varlink.service.InvalidParameter")
            #expect(reply.parameters["parameter"] == "name")
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
        subscription.peer.stream.close()
        #expect(try holder.next()?.parameters == Self.ended)
        scene.pass(.seconds(1))
        #expect(try holder.next()?.parameters["events"] != nil)
    }

    @Test("B92: the suspension of a program waits for its last task, and continues at once when it ends")
    func suspensionWaitsForTasks() throws {
        let program = try life.start()
        let read = { for _ in 0..<4 { _ = try program.first.lifecycles() } }
        let (one, two) = (try life.begin(of: program.first, pid: 20), try life.begin(of: program.first, pid: 20))
        life.ask("suspended", of: program.first)
        one.holder.stream.close()
        life.scene.pass(.seconds(20))
        try read()
        #expect(try life.shell.next() == nil)
        #expect(!life.programs.isFrozen(program.process))
        two.holder.stream.close()
        try read()
        #expect(try life.shell.next()?.error == nil)
        #expect(life.programs.isFrozen(program.process))
    }
}
