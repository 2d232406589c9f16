// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import ReveilleSimulation
import Testing
import Varlink

@Suite("The promise of a fleet, if the broker lies")
struct FleetLieTests {
    @Test(
        "whatever was a lie, the next true message is the newest state, and no number is negative or counted twice",
        arguments: 0..<200)
    func lies(seed: UInt64) throws {
        var reader = try DeceivedReader(seed: seed)
        for _ in 0..<300 { try reader.step() }
        try reader.finish()
    }
}

/// A reader that receives true messages and lies.
private struct DeceivedReader {
    private var random: SplitMix64
    private var fleet: NaiveFleet
    private var ledger = Ledger()
    private var inbox = FleetInbox()
    private var seen: [NaiveFleet.Key: NaiveFleet.Seen] = [:]
    /// All true states so far.
    private var history: [(key: NaiveFleet.Key, state: StateMessage)] = []
    private var now: Int64 = 0

    init(seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        fleet = try NaiveFleet(devices: 2, aspects: 2)
        try connect()
    }

    private mutating func any(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func step() throws {
        now += 1
        switch any(0..<12) {
        case 0..<4: try tell()
        case 4: fleet.replaceBus(of: fleet.devices[any(0..<fleet.devices.count)])
        case 5: try connect()
        case 6, 7: while !inbox.isEmpty { try take() }
        default: lie()
        }
    }

    /// Lets every aspect change once more, and compares the consumer with the truth.
    mutating func finish() throws {
        try connect()
        for key in fleet.keys { try tell(key) }
        while !inbox.isEmpty { try take() }
        for (key, state) in fleet.retained {
            let newest = NaiveFleet.Seen(instance: state.instance, generation: state.generation)
            guard seen[key] == newest else { throw Broken("\(key): \(seen[key] as Any) instead of \(newest)") }
        }
    }

    /// Delivers a true change, which the ledger knows as the newest state at once.
    private mutating func tell(_ chosen: NaiveFleet.Key? = nil) throws {
        let key = chosen ?? fleet.keys[any(0..<fleet.keys.count)]
        let state = fleet.change(key, count: any(1..<9))
        history.append((key, state))
        // A bridge publishes its status before a state of another bus.
        deliverStatus(of: key.device)
        deliver(state.bytes, on: key)
        let newest = FleetPosition(instance: state.instance, generation: state.generation)
        guard ledger.position(of: key.aspect, of: key.device) == newest else {
            throw Broken("\(key): \(newest) is hidden by \(ledger.position(of: key.aspect, of: key.device) as Any)")
        }
    }

    private mutating func lie() {
        guard let (key, state) = history.randomElement(using: &random) else { return }
        var lie = state
        switch any(0..<8) {
        case 0, 1: return deliver(state.bytes, on: key, isRetained: any(0..<2) == 0)
        case 2: return deliver(Array(state.bytes.prefix(any(1..<state.bytes.count))), on: key)
        case 3:
            let text = #"{"instance":"\#(state.instance)","generation":-\#(any(1..<99)),"changes":-3,"value":{}}"#
            return deliver(Array(text.utf8), on: key)
        case 4: lie.instance = "foreign-\(any(0..<3))"
        case 5: return deliverStatus(of: key.device, instance: "foreign-\(any(0..<3))")
        // Farther from each other than what is plausible.
        case 6: lie.generation = Int64(any(1..<1_000)) * 4 * Ledger.plausibleStep
        default: lie = StateMessage(instance: "bus-1", generation: 1, changes: 1, changedAt: -1, value: .null)
        }
        deliver(lie.bytes, on: key, isRetained: any(0..<2) == 0)
    }

    private mutating func deliver(_ payload: [UInt8], on key: NaiveFleet.Key, isRetained: Bool = false) {
        let topic = FleetTopic.state(key.device, key.aspect).text
        inbox.put(ledger.receive(payload, on: topic, isRetained: isRetained, expiry: nil, at: now))
    }

    private mutating func deliverStatus(of device: DeviceID, instance: String? = nil) {
        guard var status = fleet.statuses[device] else { return }
        if let instance { status.instance = instance }
        inbox.put(ledger.take(status, of: device, expiry: StatusMessage.lease, at: now))
    }

    private mutating func connect() throws {
        ledger.connect()
        for device in fleet.devices { deliverStatus(of: device) }
        for (key, state) in fleet.retained.shuffled(using: &random) {
            deliver(state.bytes, on: key, isRetained: true)
        }
    }

    /// Checks that a number counts from the state that the consumer has seen, so that nothing is counted twice.
    private mutating func take() throws {
        guard case .state(let event)? = inbox.take() else { return }
        let key = NaiveFleet.Key(device: event.device, aspect: event.aspect)
        if let changes = event.changeCount {
            let before = NaiveFleet.Seen(instance: event.instance, generation: event.generation - changes)
            guard changes > 0, seen[key] == before else { throw Broken("\(event) after \(seen[key] as Any)") }
        }
        seen[key] = NaiveFleet.Seen(instance: event.instance, generation: event.generation)
    }
}
