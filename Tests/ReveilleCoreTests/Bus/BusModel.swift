// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import Testing

@testable import ReveilleCore

/// A bus and a ``NaiveBus`` with the same operations.
struct BusModel {
    struct Client {
        var request: SubscriptionRequest
        var instance: String
        var positions: [Aspect: Int] = [:]
        var lastEvents: [Aspect: UInt64] = [:]
    }

    let driver: BusDriver
    var naive: NaiveBus
    private(set) var clients: [SubscriptionID: Client] = [:]
    private(set) var gone: [Client] = []
    private var restarts = 0

    init(history: Int) {
        driver = BusDriver(history: history)
        naive = NaiveBus(history: history, start: Aspect.device.map(Reading.first), at: driver.now)
        naive.now = driver.clock
    }

    // MARK: - Operations

    mutating func subscribe(_ request: SubscriptionRequest) throws(Broken) {
        let (id, start) = driver.start(request)
        let expected = naive.subscribe(request, as: id, at: driver.now)
        try checkSettings(start.events, of: request)
        guard start.resumed == expected.resumed, ordered(start.events) == ordered(expected.events) else {
            throw Broken("starts with \(start) instead of \(expected): \(request)")
        }
        var client = Client(request: request, instance: driver.bus.instance)
        client.positions = request.positions ?? [:]
        for event in start.events { client.positions[event.aspect] = event.generation }
        clients[id] = client
    }

    private func ordered(_ events: [Event]) -> [Event] {
        events.map(\.withoutSettings).sorted { ($0.sequence, $0.aspect) < ($1.sequence, $1.aspect) }
    }

    /// Checks that events have the chosen settings, and list nothing else.
    private func checkSettings(_ events: [Event], of request: SubscriptionRequest) throws(Broken) {
        for event in events where event.aspect == .defaults {
            guard let topic = naive.topic(.defaults, request.domains) else { continue }
            let isCurrent = event.generation == topic.current.generation
            let listed = Defaults(
                domains: event.settings.filter { $0.isOpaque || !$0.keys.isEmpty }.map {
                    Defaults.Domain(name: $0.domain, path: $0.path, keys: $0.keys, isOpaque: $0.isOpaque)
                })
            let chosen = request.domains.map { domains in naivePart(of: listed, domains.words) } ?? listed
            guard !isCurrent || event.reading == topic.current.reading, chosen == listed else {
                throw Broken("\(request.domains?.words ?? []) receives \(event) with \(event.settings)")
            }
        }
    }

    /// Checks that the settings of one event are exactly those of the changes that it stands for.
    private func checkTouched(_ event: Event, in queue: [NaiveChange]) throws(Broken) {
        guard event.aspect == .defaults, restarts == 0, queue.count <= 64, event.changeCount == queue.count else {
            return
        }
        let expected = queue.reduce(into: [:] as [String: Set<String>]) { all, change in
            all.merge(change.touched) { $0.union($1) }
        }
        let isOpaque = Dictionary(event.settings.map { ($0.path, $0.isOpaque) }, uniquingKeysWith: { $1 })
        let listed = Dictionary(event.settings.map { ($0.path, Set($0.keys)) }, uniquingKeysWith: { $1 })
        let readable = expected.reduce(into: [:]) { $0[$1.key] = isOpaque[$1.key] == true ? [] : $1.value }
        guard listed == readable else {
            throw Broken("\(event) lists \(event.settings) instead of \(expected)")
        }
    }

    mutating func cancel(_ id: SubscriptionID) {
        driver.bus.cancel(id)
        naive.subscribers[id] = nil
        if let client = clients.removeValue(forKey: id) { gone = gone.suffix(20) + [client] }
    }

    mutating func hold(_ reason: HoldReasons, on id: SubscriptionID) {
        driver.bus.hold(reason, on: id, at: driver.now)
        naive.hold(reason, on: id, at: driver.now)
    }

    mutating func release(_ reason: HoldReasons, from id: SubscriptionID) {
        driver.bus.release(reason, from: id, at: driver.now)
        naive.release(reason, from: id, at: driver.now)
    }

    func setLate(_ isLate: Bool, _ id: SubscriptionID) { driver.bus.setLate(isLate, id) }

    mutating func report(_ reading: Reading) {
        let time = driver.report(reading)
        naive.now = driver.clock
        naive.post(reading, at: time)
    }

    /// Publishes a value for a number of changes, or for a generation that the name has had; `nil` for a plain one.
    mutating func publish(
        _ name: Aspect, _ json: String?, by publisher: Publisher, ahead: Int? = nil
    ) throws(Broken) {
        pass(1_000)
        // If the end of an interval has made the bus forget the name, this is the first publication of another one.
        try checkVacancies()
        let bytes = json.map { Array($0.utf8) }
        let target = ahead.map { (naive.topics[name]?.current.generation ?? 0) + $0 }
        driver.bus.publish(name, bytes, by: publisher, at: driver.now, target: target)
        naive.publish(name, bytes, by: publisher, at: driver.now, target: target)
    }

    mutating func endConnection(_ connection: UInt64) throws(Broken) {
        for name in driver.bus.names {
            guard let publisher = driver.bus.publisher(of: name), publisher.connection == connection else { continue }
            try publish(name, nil, by: publisher)
        }
    }

    mutating func pass(_ microseconds: Int64) {
        driver.pass(microseconds)
        naive.now = driver.clock
    }

    mutating func restart() {
        for id in clients.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            if let client = clients.removeValue(forKey: id) { gone = gone.suffix(20) + [client] }
        }
        let saved = driver.bus.savedState.entries.map(\.state.aspect)
        restarts += 1
        driver.restart()
        naive.restart(saved.filter(\.isPublished), at: driver.now)
    }

    mutating func deliver() throws(Broken) {
        while let delivery = driver.nextDelivery() {
            let id = delivery.subscription
            let queue = naive.subscribers[id]?.feeds[.defaults]?.queue ?? []
            let expected = naive.take(id)
            if let request = clients[id]?.request { try checkSettings(delivery.events, of: request) }
            for event in delivery.events { try checkTouched(event, in: queue) }
            guard delivery.events.map(\.withoutSettings) == expected.map(\.withoutSettings) else {
                throw Broken("\(id) receives \(delivery.events)\ninstead of \(expected)")
            }
            for aspect in Set(delivery.events.map(\.aspect)) {
                let last = clients[id]?.lastEvents.updateValue(driver.clock, forKey: aspect)
                let interval = naive.subscribers[id]?.policy(aspect).interval ?? .zero
                guard let last, Duration.microseconds(driver.clock - last) < interval else { continue }
                throw Broken("\(id) receives \(aspect) sooner than \(interval)")
            }
            for event in delivery.events { clients[id]?.positions[event.aspect] = event.generation }
        }
        guard naive.ready.isEmpty else { throw Broken("nothing is delivered to \(naive.ready)") }
        try checkPace()
    }

    // MARK: - Checks

    /// Checks that the bus asks for the time of the next event that waits, and for none if nothing waits.
    private func checkPace() throws(Broken) {
        let feeds = naive.subscribers.flatMap { id, subscriber in
            subscriber.feeds.map {
                (isDue: naive.due(id).contains($0.key), isUnread: subscriber.holds.contains(.unread), feed: $0.value)
            }
        }
        let soonest = feeds.filter(\.isDue).map(\.feed.nextEvent).min()
        if driver.bus.nextPaced == soonest { return }
        // It may ask sooner for a state that has come back meanwhile, for a name that is to become vacant, and for a
        // subscription whose last reply is unread.
        let others = feeds.filter { $0.isUnread || $0.feed.policy.netChangeOnly || !$0.feed.isLiteral }
        guard let next = driver.bus.nextPaced, next < soonest ?? .max,
            others.contains(where: { $0.feed.nextEvent == next })
        else {
            throw Broken(
                "asks for \(driver.bus.nextPaced ?? 0) instead of \(soonest ?? 0) at \(driver.clock)")
        }
    }

    /// Checks that the bus was allowed to make names vacant and to forget names, and does the same.
    mutating func checkVacancies() throws(Broken) {
        for (name, topic) in naive.topics where name.isPublished {
            let index = driver.bus.nameTable.logs[name]
            if !topic.isVacant, index.map({ driver.bus.logs[$0].isVacant }) ?? true, !naive.vacate(name) {
                throw Broken("\(name) is vacant too early")
            }
            guard index == nil else { continue }
            let isGiven = naive.subscribers.values.contains { $0.feeds[name] != nil }
            guard naive.topics[name]?.isVacant == true, !isGiven else {
                throw Broken("\(name) is forgotten too early")
            }
            naive.topics[name] = nil
        }
    }

    /// Compares everything that clients can ask for.
    func check(limit: Int?) throws(Broken) {
        for (id, subscriber) in naive.subscribers {
            guard let status = driver.status(id) else { continue }
            let pending = subscriber.feeds.mapValues { feed in
                let isDropped = subscriber.isInBackground && feed.policy.background == .drop && !feed.hadPending
                return isDropped ? 0 : feed.queue.count
            }.filter { $0.value > 0 }
            guard status.pending == pending, status.holds == subscriber.holds, status.aspectSet == subscriber.aspects
            else { throw Broken("\(status)\ninstead of \(pending), \(subscriber.holds)") }
        }
        for (aspect, topic) in naive.topics {
            let latest = (driver.bus.changes(of: aspect, limit: limit), naive.changes(of: aspect, limit: limit))
            guard latest.0.map(\.withoutSettings) == latest.1.map(\.withoutSettings) else {
                throw Broken("the latest changes are \(latest)")
            }
            let current = driver.bus.log(of: aspect).map { driver.bus.logs[$0].changes.current }
            guard current?.generation == topic.current.generation, current?.reading == topic.current.reading,
                driver.bus.publisher(of: aspect) == (topic.isLive ? topic.publisher : nil)
            else { throw Broken("\(String(describing: current)) instead of \(topic.current)") }
        }
        let users = naive.topics.values.compactMap { topic in topic.publisher.map { ($0.user, topic.isLive) } }
        for user in 1...2 as ClosedRange<UInt32> {
            let own = users.filter { $0.0 == user }
            guard driver.bus.names(of: user).kept == own.count, driver.bus.names(of: user).live == own.count(where: \.1)
            else {
                throw Broken("\(driver.bus.names(of: user)) of user \(user), expected \(own)")
            }
        }
        let violations = BusConsistency(of: driver.bus).violations
        guard violations.isEmpty else { throw Broken("inconsistent: \(violations)") }
    }
}
