// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import ReveilleSimulation
import Testing
import Varlink

@Suite("The promise of a fleet, against a model that knows every change")
struct FleetModelTests {
    @Test("every state is delivered once with its true number of changes, and the newest wins", arguments: 0..<200)
    func promise(seed: UInt64) throws {
        var reader = try ModelReader(seed: seed)
        for _ in 0..<400 { try reader.step() }
        try reader.finish()
    }
}

/// A reader with a slow consumer, on a network that loses, repeats and reorders.
private struct ModelReader {
    private var random: SplitMix64
    private var fleet: NaiveFleet
    private var ledger = Ledger()
    private var inbox = FleetInbox()
    private var isConnected = false
    /// What the consumer has seen, and what it had seen when the positions were saved.
    private var seen: [NaiveFleet.Key: NaiveFleet.Seen] = [:]
    private var saved: (text: String, seen: [NaiveFleet.Key: NaiveFleet.Seen], removed: Set<NaiveFleet.Key>)
    /// The states whose removal the consumer has seen.
    private var removed: Set<NaiveFleet.Key> = []
    /// Messages that are late, of the current and the former bus.
    private var late: [(key: NaiveFleet.Key, state: StateMessage)] = []
    private var now: Int64 = 0

    init(seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        fleet = try NaiveFleet(devices: 3, aspects: 2)
        saved = (ledger.positions(), [:], [])
    }

    private mutating func happens(onceIn count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    mutating func step() throws {
        now += 1
        let key = fleet.keys[Int.random(in: 0..<fleet.keys.count, using: &random)]
        switch Int.random(in: 0..<21, using: &random) {
        case 0..<9:
            let state = fleet.change(key, count: Int.random(in: 1...9, using: &random))
            if happens(onceIn: 3) { late.append((key, state)) }
            if !happens(onceIn: 4) { deliver(key, state) }
        case 9, 10: if let old = late.randomElement(using: &random) { deliver(old.key, old.state) }
        case 11: if happens(onceIn: 3) { replaceBus(of: key.device) }
        case 12: connect()
        case 13: isConnected = false
        case 14: saved = (ledger.positions(without: inbox), seen, removed)
        case 15: if happens(onceIn: 3) { try restart() }
        case 16: if happens(onceIn: 3) { try connectToForgetfulBroker() }
        default: try take()
        }
    }

    mutating func finish() throws {
        connect()
        while !inbox.isEmpty { try take() }
        for (key, state) in fleet.retained {
            let newest = NaiveFleet.Seen(instance: state.instance, generation: state.generation)
            guard seen[key] == newest else { throw Broken("\(key): \(seen[key] as Any) instead of \(newest)") }
        }
    }

    private mutating func deliver(_ key: NaiveFleet.Key, _ state: StateMessage, isRetained: Bool = false) {
        guard isConnected else { return }
        inbox.put(
            ledger.receive(
                state.bytes, on: FleetTopic.state(key.device, key.aspect).text, isRetained: isRetained, expiry: nil,
                at: now))
    }

    private mutating func replaceBus(of device: DeviceID) {
        fleet.replaceBus(of: device)
        // A network that reorders messages across two buses of a device is not one.
        let former = "bus-\((fleet.lives[device] ?? 0) - 1)"
        late.removeAll { $0.key.device == device && $0.state.instance != former }
        if isConnected { deliverStatus(of: device) }
    }

    private mutating func deliverStatus(of device: DeviceID) {
        guard let status = fleet.statuses[device] else { return }
        inbox.put(ledger.take(status, of: device, expiry: StatusMessage.lease, at: now))
    }

    /// Connects, and receives all retained messages, states in any order.
    private mutating func connect() {
        isConnected = true
        ledger.connect()
        late.removeAll { $0.state.instance != fleet.instance(of: $0.key.device) }
        for device in fleet.devices { deliverStatus(of: device) }
        for (key, state) in fleet.retained.shuffled(using: &random) { deliver(key, state, isRetained: true) }
    }

    /// Connects to a broker that has lost some messages, which the devices send again later.
    private mutating func connectToForgetfulBroker() throws {
        let lost = Set(fleet.keys.filter { _ in happens(onceIn: 2) })
        isConnected = true
        ledger.connect()
        late.removeAll { $0.state.instance != fleet.instance(of: $0.key.device) }
        for device in fleet.devices where !happens(onceIn: 2) { deliverStatus(of: device) }
        for (key, state) in fleet.retained where !lost.contains(key) { deliver(key, state, isRetained: true) }
        var check = Completeness()
        while true {
            guard case .complete(let outcomes) = check.mark(&ledger, at: now) else { continue }
            for outcome in outcomes { inbox.put(outcome) }
            break
        }
        for _ in 0..<6 where happens(onceIn: 2) { try take() }
        for (key, state) in fleet.retained where lost.contains(key) { deliver(key, state) }
    }

    /// Ends the process, and continues from what was saved.
    private mutating func restart() throws {
        ledger = try Ledger(positions: saved.text)
        inbox = FleetInbox()
        (seen, removed) = (saved.seen, saved.removed)
        connect()
    }

    private mutating func take() throws {
        let event = inbox.take()
        event.map { ledger.noteTaken($0) }
        switch event {
        case .state(let event):
            let key = NaiveFleet.Key(device: event.device, aspect: event.aspect)
            seen[key] = try fleet.check(event, after: seen[key], isRemoved: removed.remove(key) != nil)
        case .removed(let removal):
            removal.aspect.map { _ = removed.insert(NaiveFleet.Key(device: removal.device, aspect: $0)) }
        default: break
        }
    }
}
