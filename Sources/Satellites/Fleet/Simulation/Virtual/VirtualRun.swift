// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleFleetCore
import ReveilleSimulation
import ReveilleSystem

/// Runs the reader's rule with the messages of virtual devices, and checks every event.
struct VirtualRun {
    /// The number of devices by default.
    static let usualCount = 1_000_000
    private static let seed: UInt64 = 17
    /// The part of the changes that are the loss of a state.
    private static let renewals = 0.01
    /// Seconds until the reader connects again.
    private static let pause: Int64 = 7_200
    /// The number of messages that are made before the reader takes them, so that only its own time is measured.
    private static let batch = 20_000

    private var fleet: VirtualFleet
    private var ledger = Ledger()
    private var random = SplitMix64(seed: seed)
    private var messages: [VirtualFleet.Message] = []
    private var now: Int64 = 0
    private var received = 0
    private var events = 0
    private var problems: [String: Int] = [:]
    private var time: Int64 = 0

    init(count: Int) {
        fleet = VirtualFleet(count: count, seed: Self.seed)
    }

    /// Runs the life, and prints the figures.
    mutating func run() throws(Broken) {
        let states = fleet.count * VirtualFleet.aspects.count
        let before = Memory.inUse
        try fleet.checkPayloads()
        try deliverAll()
        let first = (time: time, memory: Memory.inUse - before, messages: received)
        now += Self.pause
        try live()
        try deliverAll()
        try fleet.checkNewest()
        guard fleet.counted == fleet.expected else {
            throw Broken("\(fleet.counted) changes were counted instead of \(fleet.expected)")
        }
        let grown = Memory.inUse - before
        Table.print(
            ["\(Table.grouped(fleet.count)) devices, \(Table.grouped(states)) states", "figure"],
            [
                ["messages", Table.grouped(received)],
                ["events", Table.grouped(events)],
                ["changes, each counted once", Table.grouped(fleet.counted)],
                ["the first \(Table.grouped(first.messages)) messages", seconds(first.time)],
                ["time of the reader for a message", Table.rounded(Double(time) / Double(received)) + " µs"],
                ["memory of the reader for a state, at first", "\(first.memory / states) bytes"],
                ["memory of the reader for a state, at the end", "\(grown / states) bytes"],
            ] + problems.sorted { $0.key < $1.key }.map { ["problems: \($0.key)", Table.grouped($0.value)] })
        if let problem = problems.first {
            throw Broken("a fleet without faults has problems, such as '\(problem.key)'")
        }
    }

    private func seconds(_ microseconds: Int64) -> String { Table.rounded(Double(microseconds) / 1e6) + " s" }

    // MARK: - Life

    /// Connects the reader anew, and delivers everything that the broker retains.
    private mutating func deliverAll() throws(Broken) {
        ledger.connect()
        for device in 0..<fleet.count {
            messages.append(fleet.status(of: device))
            for aspect in VirtualFleet.aspects.indices {
                messages.append(fleet.message(device, aspect, isRetained: true))
            }
            if messages.count >= Self.batch { try receive() }
        }
        try receive()
    }

    /// Changes as many aspects as there are devices, at random.
    private mutating func live() throws(Broken) {
        for _ in 0..<fleet.count {
            let device = Int.random(in: 0..<fleet.count, using: &random)
            messages +=
                Double.random(in: 0..<1, using: &random) < Self.renewals
                ? fleet.renew(device)
                : fleet.change(device, Int.random(in: 0..<VirtualFleet.aspects.count, using: &random))
            if messages.count >= Self.batch { try receive() }
        }
        try receive()
    }

    /// Lets the reader take the messages.
    private mutating func receive() throws(Broken) {
        var taken: [FleetEvent] = []
        taken.reserveCapacity(messages.count)
        let start = Clocks.thread()
        for message in messages {
            let outcome = ledger.receive(
                message.payload, on: message.topic, isRetained: message.isRetained, expiry: StatusMessage.lease, at: now
            )
            if let event = outcome.event { taken.append(event) }
            if let problem = outcome.problem { problems["\(problem)", default: 0] += 1 }
        }
        time += Clocks.thread() - start
        received += messages.count
        messages = []
        for case .state(let event) in taken {
            events += 1
            try fleet.check(event)
        }
    }
}
