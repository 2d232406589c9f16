// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// A naive implementation of the bus's guarantees, with a queue of changes for each subscriber and aspect.
///
/// It is simple rather than efficient; ``BusModelTests`` compares the bus with it.
struct NaiveBus {
    struct Topic {
        /// The state at the start, and all changes since.
        var changes: [NaiveChange]
        /// The generation before the first change that counts.
        var start: Int
        var publisher: Publisher?
        /// The generations before a restart whose state the first change also has, as far as the bus has saved them.
        var equal: Set<Int> = []

        var current: NaiveChange { changes[changes.count - 1] }
        var isLive: Bool { current.reading.published?.bytes != nil }
        var isVacant: Bool { publisher == nil && !isLive && current.reading.aspect.isPublished }
    }

    struct Subscriber {
        var aspects: AspectSet
        var policies: [Aspect: Policy]
        var holds: HoldReasons
        var feeds: [Aspect: NaiveFeed] = [:]
        var lifecycle: NaiveChange?
        var domains: DomainSelection?
        var wantsSupply = false

        var lifecycleState: Lifecycle {
            holds.contains(.frozen) ? .suspended : holds.isDisjoint(with: [.app, .operator]) ? .active : .background
        }

        /// Notes a change of its lifecycle, which has the sequence of the last change on the bus.
        mutating func noteLifecycle(sequence: Int, at time: Timestamp) {
            guard let last = lifecycle, last.reading.lifecycle != lifecycleState else { return }
            let change = NaiveChange(
                generation: last.generation + 1, sequence: sequence, time: time, reading: .lifecycle(lifecycleState))
            lifecycle = change
            feeds[.lifecycle]?.queue.append(change)
        }

        /// Returns the policy of an aspect: its own, or else the policy of the longest pattern that has one.
        func policy(_ aspect: Aspect) -> Policy {
            let patterns = aspects.names.filter { policies[$0] != nil && $0.matches(aspect) }
            let longest = patterns.max { $0.name.count < $1.name.count }
            var policy = policies[aspect] ?? longest.flatMap { policies[$0] } ?? Policy()
            if aspect == .lifecycle { policy.background = .immediate }
            if aspect.builtIn?.kind == .stream {
                policy.interval = max(policy.interval ?? .milliseconds(100), .milliseconds(10))
            }
            return policy
        }

        var isInBackground: Bool { !holds.isDisjoint(with: .background) }

        var open: [Aspect] {
            if holds.isEmpty { return Array(feeds.keys) }
            if holds.contains(.unread) || holds.contains(.frozen) { return [] }
            return feeds.filter { $0.value.policy.background == .immediate }.map(\.key)
        }
    }

    let history: Int
    private(set) var instance = "one"
    var topics: [Aspect: Topic] = [:]
    /// The part of the settings that each selection chooses, as a topic of its own.
    var parts: [DomainSelection: Topic] = [:]
    var sequence = 0
    var now: UInt64 = 0
    var subscribers: [SubscriptionID: Subscriber] = [:]

    init(history: Int, start: [Reading], at time: Timestamp) {
        self.history = history
        for reading in start {
            let change = NaiveChange(generation: 0, sequence: 0, time: time, reading: reading)
            topics[reading.aspect] = Topic(changes: [change], start: 0)
        }
    }

    // MARK: - Changes

    mutating func post(_ reading: Reading, at time: Timestamp, evenIfEqual: Bool = false) {
        let aspect = reading.aspect
        guard let last = topics[aspect]?.current, evenIfEqual || last.reading != reading || reading.isOccurrence
        else { return }
        sequence += 1
        append(reading, to: nil, after: last, at: time)
        guard case .defaults(let settings) = reading else { return }
        for (domains, topic) in parts {
            let part = Reading.defaults(naivePart(of: settings, domains.words))
            if part != topic.current.reading { append(part, to: domains, after: topic.current, at: time) }
        }
    }

    mutating func publish(
        _ name: Aspect, _ bytes: [UInt8]?, by publisher: Publisher, at time: Timestamp, target: Int?
    ) {
        if bytes != nil {
            if topics[name] == nil { topics[name] = absent(name, at: time) }
            if let topic = topics[name], topic.isVacant {
                for id in subscribers.keys { addFeed(of: topic, toPatternsOf: id) }
            }
            topics[name]?.publisher = publisher
        }
        let value = Reading.published(PublishedValue(name, bytes: bytes))
        let generation = topics[name]?.current.generation ?? 0
        if let target, bytes != nil, target > generation, target - generation <= Bus.targetDistance {
            for _ in generation..<target { post(value, at: time, evenIfEqual: true) }
        } else {
            post(value, at: time)
        }
        if bytes == nil { topics[name]?.publisher?.connection = nil }
    }

    func absent(_ name: Aspect, at time: Timestamp) -> Topic {
        let change = NaiveChange(generation: sequence, sequence: sequence, time: time, reading: .unknown(name))
        return Topic(changes: [change], start: sequence)
    }

    private mutating func addFeed(of topic: Topic, toPatternsOf id: SubscriptionID) {
        let name = topic.current.reading.aspect
        guard let subscriber = subscribers[id], subscriber.feeds[name] == nil,
            subscriber.aspects.names.contains(where: { $0.matches(name) })
        else { return }
        subscribers[id]?.feeds[name] = NaiveFeed(subscriber.policy(name), isLiteral: false, from: topic.current)
    }

    /// Makes a name vacant.
    ///
    /// - Returns: Whether the bus may do that.
    mutating func vacate(_ name: Aspect) -> Bool {
        let feeds = subscribers.values.compactMap { $0.feeds[name] }
        guard let topic = topics[name], !topic.isLive,
            feeds.allSatisfy({ $0.queue.isEmpty && ($0.isLiteral || $0.nextEvent <= now) })
        else { return false }
        topics[name]?.publisher = nil
        for id in subscribers.keys where subscribers[id]?.feeds[name]?.isLiteral == false {
            subscribers[id]?.feeds[name] = nil
        }
        return true
    }

    // MARK: - Holds

    mutating func hold(_ reason: HoldReasons, on id: SubscriptionID, at time: Timestamp) {
        guard var subscriber = subscribers[id] else { return }
        if !subscriber.isInBackground, !reason.isDisjoint(with: .background) {
            for aspect in topics.keys {
                guard let topic = topic(aspect, subscriber.domains) else { continue }
                subscriber.feeds[aspect]?.beginBackground(
                    at: topic.current.generation, oldest: oldest(aspect, subscriber.domains))
            }
        }
        subscriber.holds.formUnion(reason)
        subscriber.noteLifecycle(sequence: sequence, at: time)
        subscribers[id] = subscriber
    }

    mutating func release(_ reason: HoldReasons, from id: SubscriptionID, at time: Timestamp) {
        guard var subscriber = subscribers[id] else { return }
        let wasHeld = subscriber.isInBackground
        subscriber.holds.subtract(reason)
        if wasHeld, !subscriber.isInBackground {
            for aspect in topics.keys {
                guard let topic = topic(aspect, subscriber.domains) else { continue }
                subscriber.feeds[aspect]?.endBackground(
                    in: topic.current.known(subscriber.wantsSupply).reading, oldest: oldest(aspect, subscriber.domains))
            }
        }
        subscriber.noteLifecycle(sequence: sequence, at: time)
        subscribers[id] = subscriber
    }

    // MARK: - Delivery

    /// Returns the aspects of a subscriber with events that would be delivered now, but for their interval.
    func due(_ id: SubscriptionID) -> [Aspect] {
        guard let subscriber = subscribers[id] else { return [] }
        return subscriber.open.filter {
            subscriber.feeds[$0]?.isDue(oldest: oldest($0, subscriber.domains)) == true
        }
    }

    var ready: Set<SubscriptionID> {
        Set(subscribers.filter { id, one in due(id).contains { one.feeds[$0]?.nextEvent ?? 0 <= now } }.keys)
    }

    mutating func take(_ id: SubscriptionID) -> [Event] {
        guard var subscriber = subscribers[id] else { return [] }
        var events: [Event] = []
        for aspect in subscriber.open {
            events += subscriber.feeds[aspect]?.take(oldest: oldest(aspect, subscriber.domains), at: now) ?? []
        }
        subscriber.holds.insert(.unread)
        subscribers[id] = subscriber
        let own = events.filter { $0.aspect == .lifecycle }
        return own + events.filter { $0.aspect != .lifecycle }.sorted { $0.sequence < $1.sequence }
    }

    // MARK: - Restarts

    /// Continues as a bus that was restored, without subscribers, and without the states that were tied to connections.
    ///
    /// - Parameters:
    ///   - names: The names that were saved; others are forgotten.
    ///   - time: The time of the unknown states of streams.
    mutating func restart(_ names: [Aspect], at time: Timestamp) {
        subscribers = [:]
        for (aspect, topic) in topics where !aspect.isPublished {
            topics[aspect] = Topic(
                changes: [topic.current], start: max(0, topic.current.generation - 1), equal: equalGenerations(topic))
        }
        for (domains, topic) in parts {
            parts[domains] = Topic(changes: [topic.current], start: topic.start, equal: equalGenerations(topic))
        }
        let streams = topics.filter { $0.key.builtIn?.kind == .stream }
        let hasSamples = streams.contains { $0.value.current.reading.isOccurrence }
        defer {
            if hasSamples { sequence = (sequence / Bus.sampleReserve + 1) * Bus.sampleReserve }
            for aspect in streams.keys { topics[aspect] = absent(aspect, at: time) }
        }
        for (name, topic) in topics where name.isPublished {
            if topic.publisher?.connection != nil { sequence += 1 }
            guard names.contains(name), topic.publisher?.connection == nil else {
                topics[name] = nil
                continue
            }
            topics[name] = Topic(
                changes: [topic.current], start: topic.start, publisher: topic.isLive ? topic.publisher : nil,
                equal: equalGenerations(topic))
        }
    }

    /// Returns which of the latest 64 generations before the last one are known to have had its state.
    private func equalGenerations(_ topic: Topic) -> Set<Int> {
        let last = topic.current
        return Set((last.generation - 64..<last.generation).filter { reading(at: $0, of: topic) == last.reading })
    }

    /// Returns the state at a generation, if the bus still knows it.
    func reading(at generation: Int, of topic: Topic) -> Reading? {
        if let change = topic.changes.suffix(history).first(where: { $0.generation == generation }) {
            return change.reading
        }
        return topic.equal.contains(generation) ? topic.changes[0].reading : nil
    }
}
