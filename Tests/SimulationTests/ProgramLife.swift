// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleSystem
import ReveilleWire
import Varlink

/// Random lives of programs that are suspended, woken and ended, with a model of what each of them must receive.
final class ProgramLife {
    /// A subscription as its program knows it.
    private final class Program {
        let process: SimulatedPrograms.Process
        let subscription: SceneSubscription
        let ends: Bool
        var holds: HoldReasons = []
        var isInactive = false
        var generation = 0
        var state = Lifecycle.active
        /// The number of replies that were begun before it was frozen.
        var sent: Int?

        /// The number of unread replies, of which the last may be incomplete.
        var replies: Int { subscription.peer.stream.toPeer.split(separator: 0).count }

        init(_ program: SceneProgram, ends: Bool) {
            process = program.process
            subscription = program.first
            self.ends = ends
        }
    }

    private let life: SuspensionScene
    private let choices: Choices
    /// Whether the system carries out every request, and answers it.
    private let isReliable: Bool
    private var programs: [Program] = []
    private var lastPID: Int32 = 20
    /// What a callback of the system has found.
    private var broken: Broken?
    /// The calls of shells that wait for an answer.
    private var waiting: [ScenePeer] = []

    init(seed: UInt64) throws {
        life = try SuspensionScene()
        choices = Choices(seed: seed)
        isReliable = seed % 2 == 0
        life.programs.changed = { [unowned self] in changed($0, isFrozen: $1) }
        for _ in 0..<3 { try start() }
    }

    func run(_ steps: Int) throws {
        for _ in 0..<steps {
            try step()
            if let broken { throw broken }
        }
        life.programs.manner = .prompt
        for _ in 0..<3 {
            for program in programs { try set(.foreground, of: program, byOwner: false) }
            for program in programs { try set(.foreground, of: program, byOwner: true) }
            life.scene.pass(.seconds(50), step: .milliseconds(500))
        }
        guard life.programs.frozen.isEmpty else { throw Broken("still frozen: \(life.programs.frozen)") }
        try settle()
        for peer in waiting where try peer.next() == nil { throw Broken("a suspension was not answered") }
        for program in programs {
            guard program.state == .active else { throw Broken("\(program.process.pid) is \(program.state)") }
        }
    }

    private func step() throws {
        let program = choices.one(of: programs)
        Seeds.note?("\(program.process.pid) \(program.state) \(program.holds)")
        switch choices.number(below: 16) {
        case 0..<3: try set(choices.one(of: [.background, .foreground, .inactive]), of: program, byOwner: true)
        case 3..<6: try set(choices.one(of: [.background, .foreground, .inactive]), of: program, byOwner: false)
        case 6..<9: suspend(program)
        case 9..<12: try read(program)
        case 12:
            life.programs.manner = choices.one(
                of: isReliable ? [.prompt, .slow] : SimulatedPrograms.Manner.allCases)
        case 13:
            life.scene.pass(
                choices.one(of: [.milliseconds(10), .seconds(1), .seconds(6), .seconds(16)]), step: .milliseconds(100))
        case 14:
            life.scene.change(.battery)
            life.scene.turn()
        default:
            guard choices.happens(onceIn: 3) else { return }
            life.programs.end(program.process)
            programs.removeAll { $0 === program }
            life.scene.turn()
            try start()
        }
    }

    private func start() throws {
        lastPID += 1
        let cgroup = choices.one(of: ["/a", "/a/worker", "/b"])
        // A frozen process cannot subscribe.
        guard !life.programs.frozen.contains(cgroup), !life.programs.frozen.contains("/a") || cgroup == "/b" else {
            life.programs.manner = .prompt
            for program in programs { try set(.foreground, of: program, byOwner: false) }
            life.scene.pass(.seconds(50), step: .milliseconds(500))
            return try start()
        }
        let ends = choices.happens(onceIn: 4)
        programs.append(Program(try life.start(lastPID, cgroup: cgroup, ends: ends), ends: ends))
    }

    // MARK: - Calls

    private func set(_ state: RequestedState, of program: Program, byOwner: Bool) throws {
        let reason: HoldReasons = byOwner ? .app : .operator
        let pid = byOwner ? program.process.pid : 5
        let peer = life.scene.connect(uid: 0, pid: pid)
        life.ask(state.rawValue, of: program.subscription, by: peer)
        Seeds.note?("\(program.process.pid) \(state) by \(pid) \(life.scene.loop.bootClock)")
        if state.isHeld {
            program.holds.insert(reason)
            program.isInactive = false
        } else {
            program.holds.remove(reason)
            program.isInactive = state == .inactive
        }
        life.scene.turn()
    }

    private func suspend(_ program: Program) {
        let peer = life.scene.connect(uid: 0, pid: 5)
        life.ask("suspended", of: program.subscription, by: peer)
        Seeds.note?("\(program.process.pid) suspended \(life.programs.manner) \(life.scene.loop.bootClock)")
        program.holds.insert(.operator)
        program.isInactive = false
        waiting.append(peer)
        life.scene.turn()
    }

    // MARK: - Checks

    /// Checks that a cgroup is frozen only if all its programs are in the background.
    private func changed(_ cgroup: String, isFrozen: Bool) {
        for program in programs where program.process.isBelow(cgroup) {
            Seeds.note?("\(program.process.pid) in \(cgroup) frozen: \(isFrozen), \(life.scene.loop.bootClock)")
            program.sent = isFrozen ? program.replies : nil
        }
    }

    private func read(_ program: Program) throws {
        guard !life.programs.isFrozen(program.process) else {
            guard !isReliable || program.replies <= program.sent ?? .max else {
                throw Broken("\(program.process.pid) received a reply while it was frozen")
            }
            return
        }
        let events = try program.subscription.events()
        Seeds.note?("\(program.process.pid) reads \(events)")
        guard let event = events.first(where: { $0.lifecycle != nil }), let state = event.lifecycle else { return }
        guard events.first == event else { throw Broken("the lifecycle is not the first of \(events)") }
        guard event.changeCount > 0, event.generation == program.generation + event.changeCount else {
            throw Broken("\(program.process.pid) was at \(program.generation) and received \(event)")
        }
        guard event.isNetChange == (state != program.state) else {
            throw Broken("\(program.process.pid): \(program.state) became \(event), net \(event.isNetChange)")
        }
        guard state != .terminating || program.ends || others(of: program).contains(where: \.ends) else {
            throw Broken("\(program.process.pid) has not declared its end")
        }
        program.generation = event.generation
        program.state = state
    }

    private func others(of program: Program) -> [Program] {
        programs.filter { $0.process === program.process }
    }

    /// Lets all programs read everything, and compares what they know with the model and with ListSubscriptions.
    private func settle() throws {
        for _ in 0..<10 {
            for program in programs { try read(program) }
            life.scene.turn()
        }
        for program in programs {
            let status = try life.status(program.subscription)
            let expected: Lifecycle =
                !program.holds.isEmpty ? .background : program.isInactive ? .inactive : .active
            guard status?.lifecycle == program.state, program.state == expected else {
                throw Broken(
                    "\(program.process.pid) knows \(program.state), the bus \(String(describing: status?.lifecycle)), "
                        + "expected is \(expected)")
            }
        }
    }
}
