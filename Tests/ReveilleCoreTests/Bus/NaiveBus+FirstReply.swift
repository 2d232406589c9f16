// SPDX-License-Identifier: Apache-2.0

@testable import ReveilleCore

extension NaiveBus {
    /// Adds a subscriber that has read its first reply.
    mutating func subscribe(
        _ request: SubscriptionRequest, as id: SubscriptionID, at time: Timestamp
    ) -> SubscriptionStart {
        if let domains = request.domains { track(domains, at: time) }
        let resumed = request.positions.map { request.instance == instance && areKnown($0, of: request) }
        var subscriber = Subscriber(
            aspects: request.aspects, policies: request.policies, holds: request.startsInBackground ? .app : [])
        subscriber.domains = request.domains
        subscriber.wantsSupply = request.wantsSupply
        var events: [Event] = []
        for name in request.aspects.names where name.isPublished && topics[name] == nil {
            topics[name] = absent(name, at: time)
        }
        for aspect in topics.keys {
            guard let topic = topic(aspect, request.domains)?.known(request.wantsSupply) else { continue }
            let isLiteral = request.aspects.contains(aspect)
            guard isLiteral || matches(aspect, request) && !topic.isVacant else { continue }
            subscriber.feeds[aspect] = NaiveFeed(subscriber.policy(aspect), isLiteral: isLiteral, from: topic.current)
            let unseen = topic.isLive ? topic.start : nil
            if resumed == true, let position = request.positions?[aspect] ?? unseen,
                position < topic.current.generation, !isOutdated(request, topic)
            {
                let isCountedFromStart = aspect.isPublished || aspect == .defaults && request.domains != nil
                events.append(event(of: topic, since: max(position, isCountedFromStart ? topic.start - 1 : 0)))
            } else if request.wantsInitial || resumed == false || isOutdated(request, topic), isLiteral || topic.isLive
            {
                events.append(topic.current.event(changes: 0, netChange: true, since: topic.current.time))
            }
        }
        if request.aspects.contains(Aspect.lifecycle) {
            let start = NaiveChange(
                generation: 0, sequence: sequence, time: time, reading: .lifecycle(subscriber.lifecycleState))
            subscriber.lifecycle = start
            subscriber.feeds[.lifecycle] = NaiveFeed(subscriber.policy(.lifecycle), isLiteral: true, from: start)
            if request.wantsInitial || resumed == false {
                events.append(start.event(changes: 0, netChange: true, since: time))
            }
        }
        if resumed == true {
            for (name, position) in request.positions ?? [:] where subscriber.feeds[name] == nil {
                let topic = topics[name] ?? absent(name, at: time)
                guard matches(name, request), position < topic.current.generation else { continue }
                events.append(event(of: topic, since: max(position, topic.start - 1)))
            }
        }
        subscribers[id] = subscriber
        return SubscriptionStart(resumed: resumed, events: events)
    }

    /// Returns whether a position is in samples before a restart.
    private func isOutdated(_ request: SubscriptionRequest, _ topic: Topic) -> Bool {
        let aspect = topic.current.reading.aspect
        return aspect.builtIn?.kind == .stream && request.positions?[aspect] ?? .max < topic.start
    }

    private func matches(_ name: Aspect, _ request: SubscriptionRequest) -> Bool {
        request.aspects.names.contains { $0.matches(name) }
    }

    private func areKnown(_ positions: [Aspect: Int], of request: SubscriptionRequest) -> Bool {
        let aspects = request.aspects
        return positions.allSatisfy { aspect, generation in
            if aspect == .lifecycle { return true }
            guard aspects.contains(aspect) || aspects.names.contains(where: { $0.matches(aspect) }) else { return true }
            return generation <= topic(aspect, request.domains)?.current.generation ?? sequence
        }
    }

    /// Returns the event of all changes since a position.
    private func event(of topic: Topic, since seen: Int) -> Event {
        let retained = topic.changes.suffix(history)
        let before = retained.first { $0.generation == seen }
        // If it is unknown, the oldest change with a known state before it is the best approximation.
        let next = before == nil ? retained.dropFirst().first : retained.first { $0.generation == seen + 1 }
        return topic.current.event(
            changes: topic.current.generation - seen,
            netChange: topic.current.isNew(after: reading(at: seen, of: topic)),
            since: next?.time ?? topic.current.time)
    }

    func changes(of aspect: Aspect, limit: Int?) -> [Event] {
        guard let topic = topics[aspect] else { return [] }
        return topic.changes.suffix(min(history, limit ?? history)).filter { $0.generation > topic.start }
            .map { $0.event(changes: 1, netChange: true, since: $0.time) }
    }
}

extension NaiveBus.Topic {
    /// Returns the topic as a subscriber knows it.
    fileprivate func known(_ hasSupply: Bool) -> NaiveBus.Topic {
        guard !hasSupply, current.reading.battery != nil else { return self }
        var topic = self
        topic.changes = changes.map { $0.known(hasSupply) }
        return topic
    }
}

extension NaiveChange {
    /// Returns the change as a subscriber knows it.
    func known(_ hasSupply: Bool) -> NaiveChange {
        guard !hasSupply, var battery = reading.battery else { return self }
        battery.supply = nil
        var change = self
        change.reading = .battery(battery)
        return change
    }
}
