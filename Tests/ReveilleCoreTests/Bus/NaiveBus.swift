// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// A naive implementation of the bus's guarantees, with a queue of changes for each subscriber and aspect.
///
/// It is simple rather than efficient; ``BusModelTests`` compares the bus with it.
struct NaiveBus {
    struct Change {
        var generation: Int
        var sequence: Int
        var time: Timestamp
        var reading: Reading
        /// Whether the change occurred during a background that has ended.
        var wasHeld = false
    }

    struct Subscriber {
        var aspects: AspectSet
        var policies: [Aspect: Policy]
        var holds: HoldReasons
        var queues: [Aspect: [Change]] = [:]
        var seen: [Aspect: Reading]
        var hadPending: Set<Aspect> = []
        /// The generations at the start of the last background.
        var backgroundStart: [Aspect: Int] = [:]

        func policy(_ aspect: Aspect) -> Policy { policies[aspect] ?? Policy() }

        /// Whether an event is due, where `oldest` is the newest generation that the log has dropped.
        func isDue(_ aspect: Aspect, oldest: Int) -> Bool {
            guard let queue = queues[aspect], let last = queue.last else { return false }
            let keepsHeld = queue.contains { $0.wasHeld && $0.generation > oldest } && holdLimit(aspect) != nil
            return !policy(aspect).netChangeOnly || keepsHeld || last.reading != seen[aspect]
        }

        /// Marks the changes of the background that ends now.
        ///
        /// Earlier pending changes waited for the reader rather than for the foreground, and are still merged.
        mutating func keepHeld(_ aspect: Aspect, oldest: Int) {
            let start = backgroundStart[aspect] ?? 0
            guard var queue = queues[aspect], let last = queue.last, last.generation > start else { return }
            let knowsHeld = queue.contains { $0.wasHeld && $0.generation > oldest }
            let first = knowsHeld ? queue.first(where: \.wasHeld)?.generation : nil
            for place in queue.indices { queue[place].wasHeld = queue[place].generation >= first ?? start + 1 }
            queues[aspect] = queue
        }

        func holdLimit(_ aspect: Aspect) -> Int? {
            guard case .hold(let limit) = policy(aspect).background else { return nil }
            return limit
        }

        var open: [Aspect] {
            if holds.isEmpty { return aspects.aspects }
            if holds.contains(.unread) { return [] }
            return aspects.aspects.filter { policy($0).background == .immediate }
        }
    }

    let history: Int
    private(set) var current: [Aspect: Change] = [:]
    private(set) var sequence = 0
    private var changes: [Aspect: [Change]] = [:]
    var subscribers: [SubscriptionID: Subscriber] = [:]

    init(history: Int, start: [Reading]) {
        self.history = history
        for reading in start {
            current[reading.aspect] = Change(
                generation: 0, sequence: 0, time: Timestamp(microseconds: 0), reading: reading)
        }
    }

    mutating func post(_ reading: Reading, at time: Timestamp) {
        let aspect = reading.aspect
        guard let last = current[aspect], last.reading != reading else { return }
        sequence += 1
        let change = Change(generation: last.generation + 1, sequence: sequence, time: time, reading: reading)
        current[aspect] = change
        changes[aspect, default: []].append(change)
        for id in subscribers.keys where subscribers[id]?.aspects.contains(aspect) == true {
            subscribers[id]?.queues[aspect, default: []].append(change)
        }
    }

    mutating func hold(_ reason: HoldReasons, on id: SubscriptionID) {
        guard var subscriber = subscribers[id] else { return }
        if subscriber.holds.isDisjoint(with: .background), !reason.isDisjoint(with: .background) {
            subscriber.hadPending = Set(subscriber.aspects.aspects.filter { subscriber.isDue($0, oldest: oldest($0)) })
            subscriber.backgroundStart = current.mapValues(\.generation)
        }
        subscriber.holds.formUnion(reason)
        subscribers[id] = subscriber
    }

    mutating func release(_ reason: HoldReasons, from id: SubscriptionID) {
        guard var subscriber = subscribers[id] else { return }
        let wasHeld = !subscriber.holds.isDisjoint(with: .background)
        subscriber.holds.subtract(reason)
        if wasHeld, subscriber.holds.isDisjoint(with: .background) {
            for aspect in subscriber.aspects.aspects {
                if subscriber.policy(aspect).background == .drop, !subscriber.hadPending.contains(aspect) {
                    subscriber.queues[aspect] = []
                    subscriber.seen[aspect] = current[aspect]?.reading
                }
                subscriber.keepHeld(aspect, oldest: oldest(aspect))
            }
        }
        subscribers[id] = subscriber
    }

    /// The subscribers with events that are due.
    var ready: Set<SubscriptionID> {
        Set(subscribers.filter { _, one in one.open.contains { one.isDue($0, oldest: oldest($0)) } }.keys)
    }

    private func oldest(_ aspect: Aspect) -> Int {
        (current[aspect]?.generation ?? 0) - history
    }

    /// Returns the latest changes of an aspect, oldest first.
    func changes(of aspect: Aspect, limit: Int?) -> [Event] {
        (changes[aspect] ?? []).suffix(min(history, limit ?? history)).map {
            event($0, changes: 1, netChange: true, since: $0.time)
        }
    }

    /// Takes the events that are delivered to a subscriber now, in order.
    mutating func take(_ id: SubscriptionID) -> [Event] {
        guard var subscriber = subscribers[id] else { return [] }
        var events: [Event] = []
        for aspect in subscriber.open {
            var queue = subscriber.queues[aspect] ?? []
            if let limit = subscriber.holdLimit(aspect) {
                events += takeHeld(from: &queue, limit: limit, seen: &subscriber.seen[aspect])
            }
            subscriber.queues[aspect] = queue
            guard subscriber.isDue(aspect, oldest: oldest(aspect)), let first = queue.first, let last = queue.last
            else { continue }
            events.append(
                event(
                    last, changes: queue.count, netChange: last.reading != subscriber.seen[aspect],
                    since: first.time))
            subscriber.queues[aspect] = []
            subscriber.seen[aspect] = last.reading
        }
        subscriber.holds.insert(.unread)
        subscribers[id] = subscriber
        return events.sorted { $0.sequence < $1.sequence }
    }

    private func takeHeld(from queue: inout [Change], limit: Int, seen: inout Reading?) -> [Event] {
        let held = queue.filter(\.wasHeld)
        guard let last = held.last, last.generation > oldest(last.reading.aspect) else { return [] }
        let merged = Array(queue.prefix { !$0.wasHeld })
        queue.removeFirst(merged.count + held.count)
        let oldest = oldest(last.reading.aspect)
        let kept = held.suffix(limit).filter { $0.generation > oldest }
        var events: [Event] = []
        for change in kept {
            var next = event(change, changes: 1, netChange: change.reading != seen, since: change.time)
            if events.isEmpty {
                next.dropped = held.count - kept.count
                next.changes += merged.count
                next.firstChangedAt = merged.first?.time ?? change.time
            }
            events.append(next)
            seen = change.reading
        }
        seen = last.reading
        return events
    }

    private func event(_ change: Change, changes: Int, netChange: Bool, since: Timestamp) -> Event {
        Event(
            reading: change.reading, generation: change.generation, sequence: change.sequence, changes: changes,
            netChange: netChange, firstChangedAt: since, changedAt: change.time, dropped: 0, settings: [])
    }
}
