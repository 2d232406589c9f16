// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The events that a consumer has not taken yet, merged into one for each aspect and each published name.
///
/// The bus merges events for a process that does not read; the inbox merges them for a consumer that is slower than
/// its process. Changes that the policy `Policy.Background.hold(limit:)` kept apart stay apart. A name that only a pattern
/// matches is forgotten once its withdrawal is taken, so names that come and go use no memory.
///
/// Pure.
struct Inbox {
    private let aspects: AspectSet
    private let domains: [String]?
    private let policies: PolicyTable
    private let keepsChangesApart: Bool
    private var waiting = WaitingEvents()
    /// The last reading that the consumer saw, or could have asked for, by aspect.
    private(set) var seen: [Aspect: Reading] = [:]
    /// The positions of the events taken so far, on the instance that sent them; `nil` before the start.
    private var current: Positions?
    /// The positions on an earlier instance, while events of a later one wait.
    private var earlier: Positions?
    /// The positions to store; `nil` before the start.
    ///
    /// Positions on an earlier instance show another process which of its names are no longer published.
    var positions: Positions? { earlier ?? current }
    private var isParked = false
    private(set) var failure: ReveilleError?

    init(_ request: SubscriptionRequest = SubscriptionRequest()) {
        aspects = request.aspects
        domains = request.domains?.words
        policies = PolicyTable(request.policies, of: request.aspects)
        keepsChangesApart = request.policies.values.contains { if case .hold = $0.background { true } else { false } }
        // Waiting events must not be lost if the consumer stores its positions before it takes the events.
        if let instance = request.instance, request.positions != nil {
            current = Positions(
                instance: instance, generations: StreamPositions(request).generations, domains: domains)
        }
    }

    var hasNext: Bool { next(inBackground: isParked) != nil }

    mutating func receive(_ output: StreamOutput) {
        switch output {
        case .start(let states, let instance): start(from: states, of: instance)
        case .restart(let states, let instance):
            restart(from: states, of: instance)
            forgetEarlierInstance()
        case .answer(let states):
            put(states, areAnswers: true)
            forgetEarlierInstance()
        case .events(let events): put(events)
        case .skip(let states):
            // States that were dropped are merged into a waiting event, if there is one.
            for state in states { if waiting.contains(state.aspect) { put([state]) } else { see(state) } }
        case .background(let isParked): self.isParked = isParked
        case .end(let error): failure = error
        }
    }

    private mutating func start(from events: [Event], of instance: String) {
        if current?.instance != instance {
            earlier = earlier ?? current
            current = Positions(instance: instance, generations: [:], domains: domains)
        }
        for event in events { see(event) }
    }

    private mutating func forgetEarlierInstance() {
        if waiting.isEmpty { earlier = nil }
    }

    private mutating func restart(from events: [Event], of instance: String) {
        let known = events.map { lastReading(of: $0.aspect) }
        start(from: [], of: instance)
        for (event, known) in zip(events, known) {
            // The wire does not carry the values of settings, so settings with the same keys may have changed.
            let isSeen = event.aspect.builtIn?.isReportedInParts != true && known == event.reading
            if isSeen && !waiting.contains(event.aspect) { see(event) } else { put([event]) }
        }
    }

    private mutating func put(_ events: [Event], areAnswers: Bool = false) {
        var repeated: AspectSet = []
        if keepsChangesApart {
            var once: AspectSet = []
            for event in events where !once.insert(event.aspect) { repeated.insert(event.aspect) }
        }
        for event in events {
            if repeated.contains(event.aspect), case .hold(let limit) = policies[event.aspect].background {
                waiting.append(WaitingEvents.Item(event: event, isApart: true, isAnswer: areAnswers))
                waiting.dropFirst(of: event.aspect, keeping: limit)
                continue
            }
            var item = WaitingEvents.Item(event: event, isAnswer: areAnswers)
            if let earlier = waiting.removeMerged(event.aspect) {
                item.event = earlier.event.merged(with: event, lastSeen: lastReading(of: event.aspect))
                item.isAnswer = areAnswers || earlier.isAnswer
            }
            waiting.append(item)
        }
    }

    /// Removes the event whose last change is the oldest; `nil` if none is due.
    ///
    /// In the background only a state that was asked for, or an event of the policy `immediate`, is due.
    mutating func take() -> Event? {
        guard let next = next(inBackground: isParked), let event = waiting.remove(at: next)?.event else { return nil }
        see(event)
        forgetEarlierInstance()
        return event
    }

    private mutating func see(_ event: Event) {
        let isWithdrawn = event.reading.published?.isWithdrawn == true
        defer { if event.reading.lifecycle != nil { current?.generations[event.aspect] = nil } }
        seen[event.aspect] = isWithdrawn && !aspects.contains(event.aspect) ? nil : event.reading
        // Without a position, the name counts as not published. The bus may forget the generation of the withdrawal.
        current?.generations[event.aspect] = isWithdrawn ? nil : event.generation
    }

    /// Returns the last reading that the consumer knows of an aspect; `nil` if this process has not received it.
    private func lastReading(of aspect: Aspect) -> Reading? {
        if let reading = seen[aspect] { return reading }
        // Names without a position were not published, or not known to be.
        return aspect.isPublished && current?.generations[aspect] == nil ? .unknown(aspect) : nil
    }

    private func next(inBackground: Bool) -> Int? {
        // The lifecycle is always first, and passes the background.
        if let own = waiting.merged(.lifecycle), let event = waiting.event(at: own),
            event.changeCount == 0 || event.isNetChange || !policies[.lifecycle].netChangeOnly
        {
            return own
        }
        return waiting.firstIndex { waiting in
            if waiting.event.reading.lifecycle != nil { return false }
            let (event, policy) = (waiting.event, policies[waiting.event.aspect])
            let isState = event.changeCount == 0
            if inBackground && !(isState && waiting.isAnswer) && policy.background != .immediate { return false }
            // With this policy, an event whose value changed back waits for a later change.
            return isState || event.isNetChange || !policy.netChangeOnly
        }
    }
}
