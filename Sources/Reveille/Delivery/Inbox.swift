// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// The events that a consumer has not taken yet, merged into one for each aspect.
///
/// The bus merges events for a process that does not read; the inbox merges them for a consumer that is slower than
/// its process. Changes that the policy `Policy.Background.hold(limit:)` kept apart stay apart.
///
/// Pure.
struct Inbox {
    private struct Waiting {
        var event: Event
        /// Whether it was one of several of its aspect in one reply, each of which is delivered.
        var isApart: Bool
        /// Whether the consumer has asked for it.
        var isAnswer: Bool
    }

    private let policies: [Aspect: Policy]
    private var waiting: [Waiting] = []
    /// The last reading that the consumer saw, or could have asked for, by aspect.
    private var seen: [Aspect: Reading] = [:]
    /// The positions of the events taken so far; `nil` before the start.
    private(set) var positions: Positions?
    /// Whether the consumer is in the background.
    private var isParked = false
    /// The reason why the stream has ended.
    private(set) var failure: ReveilleError?

    init(policies: [Aspect: Policy] = [:]) {
        self.policies = policies
    }

    /// Whether no event waits, in the background or not.
    var isEmpty: Bool { next(inBackground: false) == nil }

    /// Whether an event is due.
    var hasNext: Bool { next(inBackground: isParked) != nil }

    /// Takes what the stream passes on.
    mutating func receive(_ output: StreamOutput) {
        switch output {
        case .start(let states, let instance): start(from: states, of: instance)
        case .restart(let states, let instance): restart(from: states, of: instance)
        case .answer(let states): put(states, areAnswers: true)
        case .events(let events): put(events)
        case .skip(let states): skip(states)
        case .background(let isParked): self.isParked = isParked
        case .end(let error): failure = error
        }
    }

    private mutating func start(from events: [Event], of instance: String) {
        if positions?.instance != instance { positions = Positions(instance: instance, generations: [:]) }
        for event in events { see(event) }
    }

    private mutating func restart(from events: [Event], of instance: String) {
        start(from: [], of: instance)
        for event in events {
            // The wire does not carry the values of settings, so settings with the same keys may have changed.
            let isSeen = event.aspect.builtIn?.isReportedInParts != true && seen[event.aspect] == event.reading
            if isSeen && !waiting.contains(where: { $0.event.aspect == event.aspect }) {
                see(event)
            } else {
                put([event])
            }
        }
    }

    /// States that were dropped are merged into a waiting event, if there is one.
    private mutating func skip(_ states: [Event]) {
        for state in states {
            if waiting.contains(where: { $0.event.aspect == state.aspect }) { put([state]) } else { see(state) }
        }
    }

    private mutating func put(_ events: [Event], areAnswers: Bool = false) {
        var once: AspectSet = []
        var repeated: AspectSet = []
        for event in events where !once.insert(event.aspect).inserted {
            repeated.insert(event.aspect)
        }
        for event in events {
            let isApart = repeated.contains(event.aspect) && heldLimit(of: event.aspect) != nil
            guard !isApart, let index = waiting.firstIndex(where: { $0.event.aspect == event.aspect && !$0.isApart })
            else {
                waiting.append(Waiting(event: event, isApart: isApart, isAnswer: areAnswers))
                limit(event.aspect)
                continue
            }
            let earlier = waiting.remove(at: index)
            waiting.append(
                Waiting(
                    event: earlier.event.merged(with: event, lastSeen: seen[event.aspect]), isApart: false,
                    isAnswer: areAnswers || earlier.isAnswer))
        }
    }

    /// Removes the event whose last change is the oldest; in the background only a state that was asked for, or an
    /// event of the policy `immediate`.
    ///
    /// - Returns: The event; `nil` if none is due.
    mutating func take() -> Event? {
        guard let next = next(inBackground: isParked) else { return nil }
        let event = waiting.remove(at: next).event
        see(event)
        return event
    }

    private mutating func see(_ event: Event) {
        seen[event.aspect] = event.reading
        positions?.generations[event.aspect] = event.generation
    }

    private func next(inBackground: Bool) -> Int? {
        waiting.firstIndex { waiting in
            let (event, policy) = (waiting.event, policies[waiting.event.aspect])
            let isState = event.changes == 0
            if inBackground && !(isState && waiting.isAnswer) && policy?.background != .immediate { return false }
            // With this policy, a value that changed and changed back waits for a later change.
            return isState || event.netChange || policy?.netChangeOnly != true
        }
    }

    /// Returns how many changes of an aspect are kept apart; `nil` if they are merged.
    private func heldLimit(of aspect: Aspect) -> Int? {
        guard case .hold(let limit) = policies[aspect]?.background else { return nil }
        return limit
    }

    /// Discards the oldest change that is kept apart beyond the policy's limit, and counts it.
    private mutating func limit(_ aspect: Aspect) {
        guard let limit = heldLimit(of: aspect) else { return }
        let kept = waiting.indices.filter { waiting[$0].event.aspect == aspect && waiting[$0].isApart }
        guard kept.count > max(1, limit) else { return }
        let forgotten = waiting[kept[0]].event
        let lost = forgotten.dropped.addingUpToMaximum(forgotten.changes)
        waiting[kept[1]].event.dropped = waiting[kept[1]].event.dropped.addingUpToMaximum(lost)
        waiting.remove(at: kept[0])
    }
}
