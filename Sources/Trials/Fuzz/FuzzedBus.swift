// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWire
import Varlink

/// A bus that executes the calls of a connection, without sources, sockets and clocks.
struct FuzzedBus: ~Copyable {
    static let history = 4
    /// The connection of tied states, as in a restored state.
    private static let connection: UInt64 = 0
    /// A time that leaves room for all later times.
    private static let end = Int64.max / 2

    private var bus: Bus
    private var writer = EventWriter()
    private var subscriptions: UInt64 = 0
    private var time: Int64 = 0

    init(restoring state: SavedState = SavedState(instance: "i", sequence: 0, entries: [])) {
        bus = Bus(restoring: state, history: Self.history, at: Timestamp(microseconds: 0))
    }

    var savedState: SavedState { bus.savedState }
    /// The names that are published now.
    var published: Set<Aspect> { Set(bus.names.filter { bus.publisher(of: $0) != nil }) }

    /// Executes a method; subscriptions are named by number.
    mutating func carryOut(_ method: BusCall) throws(CallError) -> JSONObject {
        switch method {
        case .subscribe(let request):
            subscriptions += 1
            let start = bus.subscribe(request, as: SubscriptionID(rawValue: subscriptions), at: now)
            return start.events.parameters
        case .setState(let name, let state, _):
            let id = try subscription(name)
            if state.isHeld {
                bus.hold(.app, on: id, at: now)
                if state == .suspended { bus.setPhase(.suspended, of: id, at: now) }
            } else {
                bus.release(.app, from: id, into: state == .inactive ? .inactive : .usual, at: now)
            }
            return [:]
        case .getState(let aspects, _):
            return bus.states(of: aspects, at: now).parameters
        case .getHistory(let aspect, let limit, let wantsSupply):
            return bus.changes(of: aspect, limit: limit, omitsSupply: !wantsSupply).parameters
        case .listSubscriptions, .followSubscriptions:
            return bus.subscriptions.compactMap { bus.slot(of: $0) }
                .compactMap { bus.subscriber(in: $0, processID: 1, userID: 1) }.parameters
        case .observeDemand(let aspects):
            return aspects.aspects.map { aspect in
                NameDemand(aspect: aspect, isNeeded: bus.demand.isNeeded(aspect))
            }.parameters
        case .describeAspects, .describeDevice, .cancelEntry, .listEntries:
            return [:]
        case .check(let names):
            let checks = names.map { CapabilityCheck($0, .no($0)) }
            let decoded = try [CapabilityCheck](checks.parameters, noting: UnknownWords())
            return decoded == checks ? checks.parameters : [:]
        case .addEntry(let entry):
            let structure = entry.structure.objectValue ?? [:]
            return try ScheduleEntry(structure: structure) == entry ? AddReply(next: nil).parameters : [:]
        case .refresh:
            for id in bus.subscriptions { bus.noteRead(by: id) }
            // The time passes until no interval delays an event.
            if let next = bus.nextPaced, let next = Int64(exactly: next), next < Self.end {
                time = max(time, next)
                bus.advance(to: UInt64(time))
            }
            return [:]
        case .post(let reading):
            post(reading)
            return [:]
        case .publish(let value, let isTied, let target):
            publish(value, isTied: isTied, target: target?.generation)
            return [:]
        case .beginTask(let name, _):
            _ = try subscription(name)
            return TaskState(remaining: .zero, hasEnded: true).parameters
        }
    }

    private func subscription(_ name: String) throws(CallError) -> SubscriptionID {
        guard let id = SubscriptionID(wireName: name), bus.holds(of: id) != nil else { throw .noSuchSubscription(name) }
        return id
    }

    mutating func publish(_ value: PublishedValue, isTied: Bool = false, target: Int? = nil) {
        time += 1
        let publisher = Publisher(user: 1, connection: isTied ? Self.connection : nil)
        bus.publish(value.name, value.bytes, by: publisher, at: now, target: target)
    }

    /// Withdraws the states that are tied to the connection.
    mutating func endConnection() {
        for name in bus.names where bus.publisher(of: name)?.connection != nil {
            publish(PublishedValue(name, bytes: nil))
        }
    }

    mutating func post(_ reading: Reading) {
        time += 1
        bus.post(reading, at: now)
    }

    private var now: Timestamp { Timestamp(microseconds: time) }

    /// Takes all deliveries, and checks that their events are in order and can be decoded, as are the latest changes.
    mutating func check() throws(Broken) {
        while let delivery = bus.nextDelivery(at: UInt64(time)) {
            try require(!delivery.events.isEmpty, "a delivery has events")
            try requireEqual(
                delivery.events.map(\.sequence), delivery.events.map(\.sequence).sorted(), "order of a delivery")
            for event in delivery.events { try require(event.changeCount > 0, "an event has changes") }
            let expected = delivery.events.parameters
            let written = try? Reply(parsing: Array(writer.frame(delivery.events).dropLast()))
            try requireEqual(written?.parameters, expected, "written and encoded events")
            try Self.checkEvents(expected["events"] ?? .null)
        }
        for aspect in Aspect.device + bus.names {
            let changes = bus.changes(of: aspect)
            try require(changes.allSatisfy { $0.changeCount == 1 }, "each of the latest changes is one")
            try require(
                zip(changes, changes.dropFirst()).allSatisfy { $0.generation + 1 == $1.generation },
                "the order of the latest changes")
            try Self.checkEvents(changes.parameters["events"] ?? .null)
        }
    }

    /// Checks that valid events survive encoding.
    static func checkEvents(_ events: JSON) throws(Broken) {
        for structure in events.arrayValue ?? [] {
            guard let event = try? Event(structure: structure) else { continue }
            try requireEqual(try? Event(structure: event.structure), event, "an event after encoding")
        }
    }
}
