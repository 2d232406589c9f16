// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleCore
import ReveilleSystem
import ReveilleWire

/// A scenario's own subscriber, which reads at once: `expect` looks at the last event that it got.
///
/// It goes to the background and wakes with the others.
final class ScenarioReader {
    /// The name of its subscription, which no step counts.
    private(set) var subscription = ""
    /// The last event of each aspect; before the first, the state at the start, which stands for no changes.
    private(set) var last: [Aspect: Event] = [:]

    private let address: UnixAddress
    private var client: BlockingClient
    private var instance = ""

    init(_ address: UnixAddress) throws {
        self.address = address
        client = try BlockingClient(address)
        try subscribe(SubscriptionRequest(name: "reveille simulate", wantsInitial: true))
    }

    /// Subscribes to a bus that has started again, from the last events.
    func reconnect() throws {
        client = try BlockingClient(address)
        try subscribe(
            SubscriptionRequest(
                name: "reveille simulate", instance: instance, positions: last.mapValues(\.generation)))
    }

    private func subscribe(_ request: SubscriptionRequest) throws {
        let start = try client.subscribe(request)
        subscription = start.subscription
        instance = start.instance
        take(start.events)
    }

    /// Takes the events that have arrived.
    func read() throws {
        while let events = try client.nextEvents() { take(events) }
    }

    private func take(_ events: [Event]) {
        for event in events { last[event.aspect] = event }
    }
}
