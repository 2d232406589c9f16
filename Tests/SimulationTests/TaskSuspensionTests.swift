// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// Programs whose tasks delay their suspension or their end.
@Suite(.timeLimit(.minutes(10))) struct TaskSuspensionTests {
    private let life: SuspensionScene

    init() throws {
        life = try SuspensionScene()
    }

    /// Begins a task of a program.
    private func begin(_ program: SceneProgram) throws -> ScenePeer {
        let (holder, reply) = try life.begin(of: program.first, pid: program.process.pid)
        #expect(reply.continues)
        return holder
    }

    /// Reads what a program is due.
    private func read(_ program: SceneProgram) throws {
        for _ in 0..<4 { _ = try program.first.lifecycles() }
    }

    @Test("B92: the suspension of a program waits for its last task, and continues at once when it ends")
    func suspensionWaitsForTasks() throws {
        let program = try life.start()
        let (one, two) = (try begin(program), try begin(program))
        life.ask("suspended", of: program.first)
        life.scene.pass(.seconds(10))
        one.stream.close()
        life.scene.pass(.seconds(10))
        try read(program)
        #expect(try life.shell.next() == nil)
        #expect(!life.programs.isFrozen(program.process))
        two.stream.close()
        try read(program)
        let reply = try #require(try life.shell.next())
        #expect(reply.error == nil)
        #expect(life.programs.isFrozen(program.process))
        #expect(life.scene.loop.bootClock < 22_000_000)
    }

    @Test("B93: a task that does not end delays the suspension until its time is over")
    func overrunEndsTheDelay() throws {
        let program = try life.start()
        let holder = try begin(program)
        life.ask("suspended", of: program.first)
        life.scene.pass(.seconds(29))
        try read(program)
        #expect(try life.shell.next() == nil)
        #expect(try holder.next()?.parameters["expiring"] == true)
        life.scene.pass(.seconds(2))
        try read(program)
        #expect(try life.shell.next()?.error == nil)
        #expect(life.programs.isFrozen(program.process))
    }

    @Test("B109: the end of a program waits for the end of its task", arguments: [true, false])
    func endWaitsForTheTask(isInTime: Bool) throws {
        let program = try life.start(ends: true)
        let holder = try begin(program)
        #expect(try life.set("background", of: program.first).isEmpty)
        life.scene.pass(.seconds(20))
        try read(program)
        #expect(program.process.terminations == 0)
        if isInTime {
            holder.stream.close()
        } else {
            life.scene.pass(.seconds(11))
        }
        try read(program)
        life.scene.turn()
        #expect(program.process.terminations == 1)
    }

    @Test("a wake answers a suspension that waits for a task, and restores the time")
    func wakeEndsTheWait() throws {
        let program = try life.start()
        let holder = try begin(program)
        life.ask("suspended", of: program.first)
        life.scene.pass(.seconds(20))
        try read(program)
        let other = life.scene.connect(uid: 1_000, pid: 5)
        #expect(try life.set("foreground", of: program.first, by: other).isEmpty)
        #expect(try life.shell.next()?.error == "org.reveille.Bus.CannotSuspend")
        #expect(try life.status(program.first)?.tasks.map(\.remaining) == [nil])
        #expect(try holder.next() == nil)
    }
}
