// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// The suspension of programs, with the real bus and programs that freeze as slowly as a test wants.
@Suite(.timeLimit(.minutes(10))) struct SuspensionTests {
    private static let refusal = "org.reveille.Bus.CannotSuspend"
    private let life: SuspensionScene

    init() throws {
        life = try SuspensionScene()
    }

    @Test("a program reads that it is suspended, is frozen, and then the shell gets its reply")
    func programIsSuspended() throws {
        let program = try life.start()
        life.ask("suspended", of: program.first)
        #expect(try life.shell.next() == nil)
        #expect(try program.first.lifecycles() == [.background])
        #expect(try life.shell.next() == nil)
        #expect(life.programs.frozen.isEmpty)
        #expect(try program.first.lifecycles() == [.suspended])
        #expect(try life.shell.next()?.error == nil)
        #expect(life.programs.frozen == ["/app"])
        #expect(try life.status(program.first)?.lifecycle == .suspended)
        #expect(try life.status(program.first)?.holds == [.operator, .frozen])
        #expect(try life.set("suspended", of: program.first).isEmpty, "a second time it is at once")
    }

    @Test("foreground thaws the program, and then tells it once, with the changes")
    func foregroundThawsFirst() throws {
        let program = try life.start()
        try life.suspend(program)
        life.scene.change(.battery)
        life.scene.change(.battery)
        life.programs.manner = .slow
        life.ask("foreground", of: program.first)
        #expect(try life.shell.next() == nil)
        #expect(try program.first.events().isEmpty)
        life.scene.pass(.seconds(2))
        #expect(life.programs.frozen.isEmpty)
        let events = try program.first.events()
        #expect(events.map(\.aspect) == [.lifecycle, .battery])
        #expect((events.first?.lifecycle, events.first?.changeCount) == (.active, 1))
        #expect(try program.first.events().isEmpty)
        #expect(try life.shell.next()?.error == nil)
    }

    @Test("a oneway suspension leaves its connection free for the call that takes it back")
    func onewaySuspensionDoesNotBlock() throws {
        let program = try life.start()
        let state: JSONObject = ["subscription": .string(program.first.id), "state": "suspended"]
        life.shell.send("SetState", state, oneway: true)
        #expect(try life.set("foreground", of: program.first).isEmpty, "it is still on its way")
        life.shell.send("SetState", state, oneway: true)
        for _ in 0..<4 { _ = try program.first.lifecycles() }
        #expect(life.programs.isFrozen(program.process))
        #expect(try life.shell.next() == nil)
    }

    @Test("a caller in the cgroup cannot freeze itself with another program") func callerIsNotFrozen() throws {
        let program = try life.start()
        _ = life.programs.start(30, cgroup: "/app")
        let neighbor = life.scene.connect(uid: 1_000, pid: 30)
        #expect(try life.set("suspended", of: program.first, by: neighbor) == Self.refusal)
        #expect(try program.first.lifecycles() == [.background])
        #expect(life.programs.frozen.isEmpty)
    }

    @Test("a program that does not name lifecycle is frozen at once") func silentProgramIsFrozenAtOnce() throws {
        let program = try life.start(aspects: ["battery"])
        #expect(try life.set("suspended", of: program.first).isEmpty)
        #expect(life.programs.isFrozen(program.process))
        #expect(try life.set("foreground", of: program.first).isEmpty)
        #expect(!life.programs.isFrozen(program.process))
        #expect(try program.first.events().isEmpty)
    }

    @Test("a program that does not read is frozen after five seconds") func hungProgramIsFrozen() throws {
        let program = try life.start()
        life.ask("suspended", of: program.first)
        life.scene.pass(.milliseconds(4_900))
        #expect(life.programs.frozen.isEmpty)
        life.scene.pass(.milliseconds(300))
        #expect(life.programs.isFrozen(program.process))
        #expect(try life.shell.next()?.error == nil)
    }

    @Test("a wake answers a suspension that waits", arguments: ["foreground", "inactive", "background"])
    func wakeAnswers(state: String) throws {
        let program = try life.start()
        life.ask("suspended", of: program.first)
        #expect(try program.first.lifecycles() == [.background])
        let other = life.scene.connect(uid: 1_000, pid: 6)
        #expect(try life.set(state, of: program.first, by: other).isEmpty)
        let reply = try #require(try life.shell.next())
        #expect(reply.error == Self.refusal)
        #expect(reply.parameters["reason"]?.stringValue?.contains("it was") == true)
        for _ in 0..<3 { _ = try program.first.events() }
        life.scene.pass(.seconds(30))
        #expect(life.programs.frozen.isEmpty)
        let expected: Lifecycle = state == "foreground" ? .active : state == "inactive" ? .inactive : .background
        #expect(try life.status(program.first)?.lifecycle == expected)
    }

    @Test(
        "a refused or unanswered suspension is reported, and the program runs in the background",
        arguments: [SimulatedPrograms.Manner.refusing, .mute, .late])
    func failureIsSaid(manner: SimulatedPrograms.Manner) throws {
        life.programs.manner = manner
        let program = try life.start()
        life.ask("suspended", of: program.first)
        for _ in 0..<3 { _ = try program.first.lifecycles() }
        life.scene.pass(.seconds(16), step: .milliseconds(100))
        let reply = try #require(try life.shell.next())
        #expect(reply.error == Self.refusal)
        life.programs.manner = .prompt
        life.scene.pass(.seconds(120), step: .milliseconds(200))
        #expect(life.programs.frozen.isEmpty)
        #expect(try life.set("foreground", of: program.first).isEmpty)
        #expect(try life.status(program.first)?.lifecycle == .active)
    }

    @Test("an obstacle is said at once, and the program is in the background") func obstacleIsSaid() throws {
        life.programs.obstacle = "no cgroup"
        let program = try life.start()
        let reply = try life.shell.call(
            "SetState", ["subscription": .string(program.first.id), "state": "suspended"])
        #expect(reply.error == Self.refusal && reply.parameters == ["reason": "no cgroup"])
        #expect(try life.status(program.first)?.lifecycle == .background)
        let stranger = SceneSubscription(peer: life.scene.connect(uid: 1_000, pid: 999), id: "")
        let reply2 = try stranger.peer.call("Subscribe", ["aspects": ["battery"]], more: true)
        let id = try #require(reply2.parameters["subscription"])
        let reply3 = try life.shell.call("SetState", ["subscription": id, "state": "suspended"])
        #expect(reply3.error == Self.refusal, "its process cannot be followed")
    }

    @Test("a cgroup is frozen only if each of its subscriptions is in the background")
    func sharedCgroup() throws {
        let program = try life.start(20)
        let other = try life.start(21, cgroup: "/app/worker")
        let reply = try life.shell.call(
            "SetState", ["subscription": .string(program.first.id), "state": "suspended"])
        #expect(reply.error == Self.refusal)
        #expect(reply.parameters["reason"]?.stringValue?.contains("process 21") == true)
        #expect(try life.set("background", of: other.first).isEmpty)
        life.ask("suspended", of: program.first)
        for _ in 0..<3 { for one in [program, other] { _ = try one.first.lifecycles() } }
        #expect(try life.shell.next()?.error == nil)
        #expect(try life.status(other.first)?.lifecycle == .suspended)
        #expect(try life.set("foreground", of: other.first).isEmpty)
        #expect(life.programs.frozen.isEmpty)
        #expect(try other.first.lifecycles() == [.active])
        #expect(try program.first.lifecycles() == [.background])
    }

    @Test("a subscription that comes to the foreground while others wait takes the suspension back")
    func newSubscriptionTakesBack() throws {
        let program = try life.start()
        life.ask("suspended", of: program.first)
        #expect(try program.first.lifecycles() == [.background])
        let second = try life.subscribe(20)
        #expect(try life.shell.next()?.error == Self.refusal)
        life.scene.pass(.seconds(20))
        #expect(life.programs.frozen.isEmpty)
        #expect(try life.status(second)?.lifecycle == .active)
    }
}
