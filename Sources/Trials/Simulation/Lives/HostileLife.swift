// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleService
import ReveilleSystem

/// A simulation of a bus with hostile users, who do anything that the interfaces and a socket allow.
///
/// `Choices` decides everything: connections, calls and their values, the sizes of reads and writes, deaths, devices
/// and clocks. Honest clients run at the same time and must not be affected.
package final class HostileLife {
    let choices: Choices
    let reality = Reality()
    let ledger = NameLedger()
    let people: People
    let limits: Configuration.Bus
    let checks: ProgramChecks
    private let startBus: (SimulatedLoop) throws(Broken) -> SimulatedBus
    private(set) var bus: SimulatedBus
    private let listener: ((String) -> Void)?
    let honest: [HonestUser]
    /// A program of the bus's own user.
    let publisher: SimulatedPublisher
    var peers: [SimulatedPeer] = []
    var answers: Answers
    var programs: SimulatedPrograms { checks.programs }
    /// The decisions before the life came to rest: an input that leads to the same life.
    package var script: [UInt8] { Array(choices.taken.prefix(lastDecision ?? .max)) }
    private var lastDecision: Int?

    /// Starts a life, which passes a line for each event to `note`.
    package init(
        choices: Choices, statePath: String? = nil, note: ((String) -> Void)? = nil
    ) throws(Broken) {
        self.choices = choices
        listener = note
        people = People(hasHostileRoot: choices.number(below: 2) == 1)
        let configuration = people.configuration(
            history: choices.one(of: [256, 1, 2]), maxFrame: choices.one(of: [65_536, 4_096]))
        limits = configuration.bus
        answers = Answers(history: limits.history)
        let state = choices.number(below: 2) == 0 ? nil : statePath.map { StateFile(path: $0) }
        var random = choices.sequence()
        let loop = SimulatedLoop()
        loop.lateness = UInt64(choices.one(of: [0, 128, 256]))
        let programs = SimulatedPrograms(loop: loop)
        checks = ProgramChecks(programs, hasHostileRoot: people.hasHostileRoot, hasRecords: state != nil)
        startBus = { [reality] loop throws(Broken) in
            try SimulatedBus(
                reality: reality, loop: loop, configuration: configuration, state: state,
                log: state.flatMap { _ in statePath.map { LogFile(path: $0 + ".log") } }, programs: programs,
                random: SplitMix64(seed: random.next()))
        }
        bus = try startBus(loop)
        // The names are undisturbed only while root and the bus's own user are honest.
        honest = people.honest.map { [people, ledger] uid in
            HonestUser(
                uid, isDisturbed: people.hasHostileRoot, names: choices.one(of: Self.subscribedNames),
                policies: choices.one(of: Self.policies),
                domains: choices.happens(onceIn: 2) ? try? DomainSelection(["app/*"]) : nil, ledger: ledger)
        }
        publisher = SimulatedPublisher(0, People.publisher, ledger: ledger)
        startPrograms()
    }

    /// Performs steps, up to a number or until the choices are exhausted, then comes to rest and checks the result.
    package func run(steps: Int) throws(Broken) {
        try meetBus()
        try connectTheHonest()
        for _ in 0..<steps {
            if choices.isExhausted { break }
            try step()
            try checks.check()
        }
        lastDecision = choices.taken.count
        try comeToRest()
        try checkThatTheDeadLeaveNothing()
    }

    func note(_ line: @autoclosure () -> String) {
        listener?(line())
    }

    private func step() throws(Broken) {
        switch choices.number(below: 50) {
        case 0..<9, 32..<36: try call()
        case 9..<13: for _ in 0...choices.number(below: 16) where !bus.turn() { break }
        case 13..<17:
            if let peer = anyPeer() { try take(try peer.read(choices.one(of: [.max, .max, 1, 100])), by: peer) }
        case 17, 18: connect()
        case 19, 20: change()
        case 21..<26, 36, 37: try actHonestly()
        case 38..<42: try actAsPublisher()
        case 42..<50: try actOnPrograms()
        case 26: try leave()
        case 27: try bus.rest()
        case 28: try letTimePass()
        case 29: setClock()
        case 30: rareEvent()
        default: if choices.happens(onceIn: 4) { try restart() } else { change() }
        }
    }

    private func rareEvent() {
        switch choices.number(below: 4) {
        case 0: flood()
        case 1:
            note("the battery is removed or inserted")
            reality.moveBattery()
            bus.look(at: .battery)
        default: garble()
        }
    }

    private func change() {
        let aspect = choices.one(of: Reality.aspects)
        reality.change(aspect)
        note("\(aspect) becomes \(reality.number[aspect])")
        bus.look(at: aspect)
    }

    // MARK: - Time

    private func letTimePass() throws(Broken) {
        let duration = choices.one(of: Self.durations)
        note("\(duration) pass")
        if choices.number(below: 2) == 0 {
            try bus.pass(duration)
        } else {
            // The machine is suspended: everything that became due is due at once.
            bus.loop.advance(duration)
            bus.clockChanged()
        }
    }

    private static let durations: [Duration] = [
        .microseconds(1), .milliseconds(30), .milliseconds(200), .seconds(1), .seconds(5), .seconds(8), .seconds(9),
        .seconds(3_600), .seconds(31_536_000), .seconds(31_536_000 * 100),
    ]

    /// Sets the wall clock to a time that Linux allows, from 1970 to 2262.
    private func setClock() {
        bus.loop.wallClock = choices.one(of: [
            0, 1, 1_780_000_000_000_000, 1_780_000_000_000_001, 4_102_444_800_000_000, Int64.max / 1_000,
        ])
        note("the clock is set to \(bus.loop.wallClock)")
        bus.clockChanged()
    }

    // MARK: - The bus

    private func restart() throws(Broken) {
        let isClean = choices.number(below: 2) == 0
        note(isClean ? "the bus stops" : "the bus is killed")
        let loop = SimulatedLoop(bootClock: bus.loop.bootClock)
        loop.wallClock = bus.loop.wallClock
        loop.lateness = bus.loop.lateness
        if isClean { bus.stop() }
        try checks.checkThatNothingStaysFrozen(isClean: isClean)
        for peer in peers { try take(try peer.read(.max, busHasEnded: true), by: peer) }
        for user in honest { try user.busDied() }
        publisher.busDied()
        peers = []
        programs.loop = loop
        bus = try startBus(loop)
        try meetBus()
        if choices.number(below: 4) > 0 { try connectTheHonest() }
    }
}
