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
    mutating func carryOut(_ method: any BusMethod) throws(CallError) -> JSONObject {
        switch method {
        case let call as Subscribe:
            subscriptions += 1
            let start = bus.subscribe(call.request, as: SubscriptionID(rawValue: subscriptions), at: now)
            return start.events.parameters
        case let call as SetState:
            let id = try subscription(call.subscription)
            if call.state.isHeld {
                bus.hold(.app, on: id, at: now)
                if call.state == .suspended { bus.setPhase(.suspended, of: id, at: now) }
            } else {
                bus.release(.app, from: id, into: call.state == .inactive ? .inactive : .usual, at: now)
            }
        case let call as GetState: return bus.states(of: call.aspects, at: now).parameters
        case let call as GetHistory:
            return bus.changes(of: call.aspect, limit: call.limit, omitsSupply: !call.wantsSupply).parameters
        case is ListSubscriptions:
            return bus.subscriptions.compactMap { bus.slot(of: $0) }
                .compactMap { bus.subscriber(in: $0, processID: 1, userID: 1) }.parameters
        case let call as ObserveDemand:
            return call.aspects.aspects.map { aspect in
                NameDemand(aspect: aspect, isNeeded: bus.demand.isNeeded(aspect))
            }.parameters
        case let call as CheckCapabilities:
            let checks = call.names.map { CapabilityCheck($0, .no($0)) }
            let decoded = try [CapabilityCheck](checks.parameters, noting: UnknownWords())
            return decoded == checks ? checks.parameters : [:]
        case let call as AddEntry:
            let structure = call.entry.structure.objectValue ?? [:]
            return try ScheduleEntry(structure: structure) == call.entry ? AddReply(next: nil).parameters : [:]
        case is Refresh: refresh()
        case let call as Post: post(call.reading)
        case let call as Publish:
            publish(call.value, isTied: call.whileConnected)
        case let call as Import: publish(call.value, target: call.generation)
        case let call as BeginTask:
            _ = try subscription(call.subscription)
            return TaskState(remaining: .zero, hasEnded: true).parameters
        case is DescribeAspects, is DescribeDevice, is CancelEntry, is ListEntries, is GetLog: break
        default: preconditionFailure("\(type(of: method)) is not carried out")
        }
        return [:]
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

    /// Lets the time pass until no interval delays an event, and lets everybody read.
    private mutating func refresh() {
        for id in bus.subscriptions { bus.noteRead(by: id) }
        if let next = bus.nextPaced, let next = Int64(exactly: next), next < Self.end {
            time = max(time, next)
            bus.advance(to: UInt64(time))
        }
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
