// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// What ends a suspension, or keeps it from beginning: callers, deadlines, ends and restarts.
@Suite(.timeLimit(.minutes(10))) struct SuspensionEndTests {
    private static let refusal = "org.reveille.Bus.CannotSuspend"
    private let directory: TemporaryDirectory
    private let life: SuspensionScene
    /// The file of the cgroups that a killed bus leaves frozen.
    private var record: String { directory.path + "/state.json.frozen" }

    init() throws {
        directory = try TemporaryDirectory()
        life = try SuspensionScene(state: StateFile(path: directory.path + "/state.json"))
    }

    @Test("a caller that goes away does not end the suspension, and two callers get the same answer")
    func callers() throws {
        let program = try life.start()
        let (gone, other) = (life.scene.connect(uid: 1_000, pid: 6), life.scene.connect(uid: 0, pid: 7))
        for peer in [gone, other, life.shell] { life.ask("suspended", of: program.first, by: peer) }
        life.scene.turn()
        gone.stream.close()
        for _ in 0..<3 { _ = try program.first.lifecycles() }
        #expect(try life.shell.next()?.error == nil)
        #expect(try other.next()?.error == nil)
        #expect(life.programs.isFrozen(program.process))
    }

    @Test("the end of the program answers the callers that wait for its suspension", arguments: [false, true])
    func endAnswers(isFrozen: Bool) throws {
        let program = try life.start()
        if isFrozen { try life.suspend(program) } else { life.ask("suspended", of: program.first) }
        life.scene.turn()
        life.programs.end(program.process)
        life.scene.pass(.seconds(1))
        if !isFrozen { #expect(try life.shell.next()?.error == Self.refusal) }
        #expect(life.programs.frozen.isEmpty, "other processes in the cgroup run again")
        #expect(try life.status(program.first) == nil)
    }

    @Test("a deadline thaws and wakes") func deadlineThaws() throws {
        let program = try life.start()
        life.ask("suspended", of: program.first, wakeAfter: 10_000)
        for _ in 0..<3 { _ = try program.first.lifecycles() }
        #expect(try life.shell.next()?.error == nil)
        life.scene.pass(.milliseconds(9_000))
        #expect(life.programs.isFrozen(program.process))
        life.scene.pass(.milliseconds(2_000))
        #expect(!life.programs.isFrozen(program.process))
        #expect(try program.first.lifecycles() == [.active])
    }

    @Test("a program that suspends itself gets its reply when it runs again") func ownSuspension() throws {
        let program = try life.start()
        let own = life.scene.connect(uid: 1_000, pid: 20)
        life.ask("suspended", of: program.first, by: own)
        for _ in 0..<3 { _ = try program.first.lifecycles() }
        #expect(life.programs.isFrozen(program.process))
        #expect(try life.status(program.first)?.holds == [.app, .frozen])
        #expect(try life.set("foreground", of: program.first).isEmpty, "the shell thaws it")
        #expect(!life.programs.isFrozen(program.process))
        #expect(try life.status(program.first)?.lifecycle == .background, "its own hold stays")
        #expect(try own.next()?.error == nil)
    }

    @Test("a bus that ends, or is killed, leaves nothing frozen", arguments: [true, false])
    func restartThaws(isClean: Bool) throws {
        let program = try life.start()
        try life.suspend(program)
        #expect(access(record, F_OK) == 0)
        try life.scene.restart(isClean: isClean)
        #expect(life.programs.frozen.isEmpty == isClean)
        life.scene.pass(.seconds(1))
        #expect(life.programs.frozen.isEmpty)
        #expect(access(record, F_OK) != 0)
    }

    @Test("without a place for the record, nothing is frozen") func recordIsNeeded() throws {
        let life = try SuspensionScene(state: StateFile(path: directory.path + "/missing/state.json"))
        let program = try life.start(aspects: ["battery"])
        let reply = try life.shell.call(
            "SetState", ["subscription": .string(program.first.id), "state": "suspended"])
        #expect(reply.error == Self.refusal)
        #expect(reply.parameters["reason"]?.stringValue?.contains("recorded") == true)
        #expect(life.programs.frozen.isEmpty)
    }

    @Test("a record that is spoilt is named in the log") func spoiltRecord() throws {
        let path = directory.path + "/spoilt.json"
        try PrivateFile.replace(path + ".frozen", with: Array("{]".utf8))
        let life = try SuspensionScene(state: StateFile(path: path))
        #expect(life.scene.log.all.contains { $0.contains("spoilt.json.frozen") })
        try life.suspend(try life.start())
    }
}
