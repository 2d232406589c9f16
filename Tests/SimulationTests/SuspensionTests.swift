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

    @Test("a program that does not name lifecycle is frozen at once") func silentProgramIsFrozenAtOnce() throws {
        let program = try life.start(aspects: ["battery"])
        #expect(try life.set("suspended", of: program.first).isEmpty)
        #expect(life.programs.isFrozen(program.process))
        #expect(try life.set("foreground", of: program.first).isEmpty)
        #expect(!life.programs.isFrozen(program.process))
        #expect(try program.first.events().isEmpty)
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
