// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleSystem
import ReveilleWire

/// The scenario's own subscriber, which reads every event immediately; `expect` compares its last events.
///
/// It sleeps and wakes with the other subscribers. For a timeline, a second subscriber stays awake.
final class ScenarioReader {
    /// The id of its subscription, which steps do not count.
    private(set) var subscription = ""
    /// The last event of each aspect; initially the state at the start, with no changes.
    private(set) var last: [Aspect: Event] = [:]

    /// Called with the events of each reply after the first.
    var onEvents: ([Event]) throws -> Void = { _ in }

    private let address: UnixAddress
    private let aspects: AspectSet
    private let name: String
    private var client: BlockingClient
    private var instance = ""

    init(_ address: UnixAddress, of aspects: AspectSet, name: String = "reveille simulate") throws {
        self.address = address
        self.name = name
        self.aspects = aspects
        client = try BlockingClient(address)
        try subscribe(SubscriptionRequest(aspects: aspects, wantsSupply: true, name: name, wantsInitial: true))
    }

    /// Resumes after a restart of the bus.
    func reconnect() throws {
        client = try BlockingClient(address)
        try subscribe(
            SubscriptionRequest(
                aspects: aspects, wantsSupply: true, name: name, instance: instance,
                positions: last.mapValues(\.generation)))
    }

    private func subscribe(_ request: SubscriptionRequest) throws {
        let start = try client.call(Subscribe(request))
        subscription = start.subscription
        instance = start.instance
        try take(start.events)
    }

    func read() throws {
        while let events = try client.next(expecting: [Event].self) { try take(events) }
    }

    private func take(_ events: [Event]) throws {
        for event in events { last[event.aspect] = event }
        // A current state is not a delivery of changes.
        try onEvents(events.filter { $0.changeCount > 0 })
    }
}
