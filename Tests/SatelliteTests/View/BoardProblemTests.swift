// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@testable import ReveilleFleetCore
@testable import ReveilleViewCore

/// How long a board shows what is wrong.
@Suite struct BoardProblemTests {
    /// A time in microseconds since 1970, UTC.
    private static let start: Int64 = 1_800_000_000_000_000
    private static let hour: Int64 = 3_600_000_000

    private var board = FleetBoard(name: "0a1b")
    private let device: DeviceID

    init() throws {
        device = try DeviceID("kiosk-1")
        status()
        state(changes: nil, after: nil)
        state("org.example.mode", changes: nil, after: nil)
    }

    private var problem: String? { board.tiles[device]?.problems.last?.text }

    private mutating func state(
        _ aspect: String = "battery", changes: Int64?, after previous: Int64? = 10, at time: Int64 = start
    ) {
        let event = DeviceEvent(
            device: device, aspect: aspect, value: [:], instance: "one", generation: 11, changeCount: changes,
            previous: previous.map { FleetPosition(instance: "one", generation: $0) })
        board.take(.state(event), at: time)
    }

    private mutating func status(
        aspects: [String] = ["battery", "org.example.mode"], age: Int64? = nil, at time: Int64 = start
    ) {
        let status = DeviceStatus(
            device: device, isOnline: false, reason: .asleep, instance: nil, aspects: aspects, version: nil,
            wakeEvery: .seconds(60), wakesAt: nil, age: age.map { .seconds($0) })
        board.take(.status(status), at: time)
    }

    private mutating func report(_ problem: FleetProblem, at time: Int64 = start) {
        board.take(.problem(problem), at: time)
    }

    private var wentBack: FleetProblem { .wentBack(device, aspect: "battery", from: 10, to: 5, isAccepted: false) }
    private var implausible: FleetProblem { .implausible(device, aspect: "battery", from: 10, to: 1 << 50) }
    private var missing: FleetProblem { .missingStates(device, aspects: ["battery", "org.example.mode"]) }
    private var shared: FleetProblem { .sharedIdentity(device, instances: ["one", "two"]) }

    @Test("a state that is out of order is a problem until the next one of its aspect is in order", arguments: [0, 1])
    mutating func order(kind: Int) {
        let found = kind == 0 ? wentBack : implausible
        report(found)
        state("org.example.mode", changes: 1, at: Self.start + 3 * Self.hour)
        status(at: Self.start + 3 * Self.hour)
        #expect(problem == found.description)
        // The reader does not report a further lie.
        state(changes: nil)
        #expect(problem == found.description)
        state(changes: 1)
        #expect(problem == nil)
    }

    @Test("a problem with a state ends when its aspect is removed, or another bus has begun")
    mutating func orderOfOthers() {
        report(wentBack)
        board.take(.removed(DeviceRemoval(device: device, aspect: "battery")), at: Self.start)
        #expect(problem == nil)
        report(wentBack)
        let event = DeviceEvent(
            device: device, aspect: "battery", value: [:], instance: "two", generation: 1, changeCount: nil,
            isNewInstance: true, previous: FleetPosition(instance: "one", generation: 10))
        board.take(.state(event), at: Self.start)
        #expect(problem == nil)
    }

    @Test("states that did not arrive are a problem until the last of them has arrived") mutating func missingStates() {
        report(missing)
        state(changes: 3)
        state(changes: 1)
        #expect(problem == missing.description)
        state("org.example.mode", changes: nil, after: nil)
        #expect(problem == nil)
    }

    @Test("a problem with missing states ends when the device no longer has them") mutating func unlisted() {
        report(missing)
        state(changes: 3)
        status()
        #expect(problem == missing.description)
        status(aspects: ["battery"])
        #expect(problem == nil)
    }

    @Test("two devices with one identity are a problem until nothing was reported for two hours")
    mutating func sharedIdentity() {
        report(shared)
        let again = Self.start + Self.hour
        state(changes: 1, at: again)
        report(shared, at: again)
        for time in [again + 1, again + 2 * Self.hour - 1] {
            state(changes: 1, at: time)
            status(at: time)
            #expect(problem == shared.description)
        }
        status(at: again + 2 * Self.hour)
        #expect(problem == nil)
    }

    @Test("a connection ends a problem only when the reader would have reported it again", arguments: 0..<5)
    mutating func connections(kind: Int) {
        let found = [wentBack, implausible, missing, shared, .tooManyStates(device, limit: 1_000)][kind]
        report(found)
        board.take(.caughtUp, at: Self.start + Self.hour)
        #expect(problem == found.description)
        let seen = board.revision
        board.take(.caughtUp, at: Self.start + 2 * Self.hour)
        #expect(problem == nil)
        let tile = board.changes(after: seen)?.tiles.first?.objectValue
        #expect(tile?["device"] == "kiosk-1" && tile?["problem"] == nil)
    }

    @Test("a problem that is over does not hide one that lasts") mutating func severalProblems() {
        report(shared)
        report(implausible)
        #expect(problem == implausible.description)
        state(changes: 1)
        #expect(problem == shared.description)
    }

    @Test("a device that reports many problems of one kind has the newest") mutating func manyProblems() {
        for number in 0..<100 {
            report(.wentBack(device, aspect: "org.example.a\(number)", from: 2, to: 1, isAccepted: false))
        }
        #expect(board.tiles[device]?.problems.count == 1)
        #expect(problem?.contains("org.example.a99") == true)
    }

    @Test("a device of which the broker has nothing leaves the board with its problem") mutating func removal() {
        report(shared)
        let seen = board.revision
        for aspect in ["battery", "org.example.mode", nil] {
            board.take(.removed(DeviceRemoval(device: device, aspect: aspect)), at: Self.start)
        }
        #expect(board.tiles.isEmpty && board.changes(after: seen)?.removed == [device])
    }

    @Test("a problem of a device without a tile is one of the fleet") mutating func withoutTile() throws {
        let revision = board.revision
        let other = try DeviceID("kiosk-2")
        report(.wentBack(other, aspect: "battery", from: 2, to: 1, isAccepted: false))
        #expect(board.tiles[other] == nil && board.revision == revision)
        #expect(board.problem?.contains("kiosk-2") == true)
    }

    @Test("a problem of the fleet ends when it was not reported for two hours") mutating func fleet() {
        report(.invalidTopic("reveille/v1/x"))
        state(changes: 1, at: Self.start + 2 * Self.hour - 1)
        #expect(board.problem != nil)
        state(changes: 1, at: Self.start + 2 * Self.hour)
        #expect(board.problem == nil)
    }

    @Test("a sleeper was last seen at its newest status, even if nothing else has changed") mutating func lastSeen() {
        status(age: 600)
        let later = Self.start + Self.hour
        status(age: 4, at: later)
        #expect(board.tiles[device]?.seenAt == later - 4_000_000)
    }
}
