// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleService
import ReveilleSystem
import Varlink

/// A bus among users of whom some do whatever the interfaces and a socket let them do.
///
/// All that happens is decided by `Choices`: who connects, what is called with which values, in which pieces, who
/// reads, who dies, what the devices do and the clocks. Beside them live honest clients, to whom none of it may matter.
package final class HostileLife {
    let choices: Choices
    let reality = Reality()
    let people: People
    let limits: Configuration.Bus
    private let listener: ((String) -> Void)?
    private let state: StateFile?
    private var random: SplitMix64
    private(set) var bus: SimulatedBus
    let honest: [HonestUser]
    var peers: [SimulatedPeer] = []
    /// What everybody may know.
    var harvest = Harvest()
    /// What each user was answered.
    var harvests: [UInt32: Harvest] = [:]
    /// Which user each subscription belongs to.
    var owners: [String: UInt32] = [:]
    /// The decisions up to where all came to rest: an input that leads to the same life.
    package var script: [UInt8] { Array(choices.taken.prefix(lastDecision ?? .max)) }
    private var lastDecision: Int?
    /// Sources of the loop without any connection.
    private(set) var quietSources = 0

    /// Starts a life.
    ///
    /// - Parameters:
    ///   - choices: Decide on all of it.
    ///   - statePath: Where the bus may keep its state; `nil` for nowhere.
    ///   - note: Takes a line for each thing that happens.
    /// - Throws: `Broken` when the bus does not start.
    package init(
        choices: Choices, statePath: String? = nil, note: ((String) -> Void)? = nil
    ) throws(Broken) {
        self.choices = choices
        listener = note
        people = People(hasHostileRoot: choices.number(below: 2) == 1)
        limits = people.limits(history: choices.one(of: [256, 1, 2]), maxFrame: choices.one(of: [65_536, 4_096]))
        state = choices.number(below: 2) == 0 ? nil : statePath.map { StateFile(path: $0) }
        random = choices.sequence()
        let loop = SimulatedLoop()
        loop.lateness = UInt64(choices.one(of: [0, 128, 256]))
        bus = try SimulatedBus(
            reality: reality, loop: loop, limits: limits, state: state, random: SplitMix64(seed: random.next()))
        honest = people.honest.map { [people] in HonestUser($0, isDisturbed: people.hasHostileRoot) }
        quietSources = loop.sourceCount
    }

    /// Does so many things, or as many as the choices last for; then everybody comes to rest, and all is checked.
    package func run(steps: Int) throws(Broken) {
        try connectTheHonest()
        for _ in 0..<steps {
            if choices.isExhausted { break }
            try step()
        }
        lastDecision = choices.taken.count
        try comeToRest()
        try checkThatTheDeadLeaveNothing()
    }

    func note(_ line: @autoclosure () -> String) {
        listener?(line())
    }

    private func step() throws(Broken) {
        switch choices.number(below: 38) {
        case 0..<9, 32..<36: try call()
        case 9..<13: for _ in 0...choices.number(below: 16) where !bus.turn() { break }
        case 13..<17: try readSomething()
        case 17, 18: connect()
        case 19, 20: change()
        case 21..<26, 36, 37: try actHonestly()
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
            note("the battery comes or goes")
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
            // The machine is suspended: all that fell due meanwhile is due at once.
            bus.loop.advance(duration)
            bus.clockChanged()
        }
    }

    private static let durations: [Duration] = [
        .microseconds(1), .milliseconds(30), .milliseconds(200), .seconds(1), .seconds(5), .seconds(8), .seconds(9),
        .seconds(3_600), .seconds(31_536_000), .seconds(31_536_000 * 100),
    ]

    /// Sets the wall clock, to anything that Linux lets it be: 1970 to 2262.
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
        note(isClean ? "the bus ends" : "the bus is killed")
        let loop = SimulatedLoop(bootClock: bus.loop.bootClock)
        loop.wallClock = bus.loop.wallClock
        loop.lateness = bus.loop.lateness
        if isClean { bus.stop() }
        for peer in peers { try take(try peer.read(.max, busHasEnded: true), by: peer) }
        for user in honest { try user.busDied() }
        peers = []
        bus = try SimulatedBus(
            reality: reality, loop: loop, limits: limits, state: state, random: SplitMix64(seed: random.next()))
        quietSources = loop.sourceCount
        if choices.number(below: 4) > 0 { try connectTheHonest() }
    }
}
