// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleCore
import ReveilleSystem
import ReveilleWire

/// The scenario's own subscriber, which reads every event immediately; `expect` compares its last events.
///
/// It sleeps and wakes with the other subscribers.
final class ScenarioReader {
    /// The id of its subscription, which steps do not count.
    private(set) var subscription = ""
    /// The last event of each aspect; initially the state at the start, with no changes.
    private(set) var last: [Aspect: Event] = [:]

    private let address: UnixAddress
    private let aspects: AspectSet
    private var client: BlockingClient
    private var instance = ""

    init(_ address: UnixAddress, of aspects: AspectSet) throws {
        self.address = address
        self.aspects = aspects
        client = try BlockingClient(address)
        try subscribe(SubscriptionRequest(aspects: aspects, name: "reveille simulate", wantsInitial: true))
    }

    /// Resumes after a restart of the bus.
    func reconnect() throws {
        client = try BlockingClient(address)
        try subscribe(
            SubscriptionRequest(
                aspects: aspects, name: "reveille simulate", instance: instance, positions: last.mapValues(\.generation)
            ))
    }

    private func subscribe(_ request: SubscriptionRequest) throws {
        let start = try client.subscribe(request)
        subscription = start.subscription
        instance = start.instance
        take(start.events)
    }

    /// Reads all events that have arrived.
    func read() throws {
        while let events = try client.nextEvents() { take(events) }
    }

    private func take(_ events: [Event]) {
        for event in events { last[event.aspect] = event }
    }
}
