// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// What came for a consumer and was not taken yet: one event for each aspect, however many came.
///
/// The bus merges for a process that does not read; this merges for a process that reads and a consumer that does
/// not take. What a `Policy.Background.hold(limit:)` policy kept apart stays apart.
///
/// Pure.
struct Inbox {
    private struct Waiting {
        var event: Event
        /// It was one of several of its aspect in one reply, each of which is to be told.
        var isApart: Bool
        /// The consumer has asked for it.
        var isAnswer: Bool
    }

    private let policies: [Aspect: Policy]
    private var waiting: [Waiting] = []
    /// What the consumer saw last, or would have seen had it asked, by aspect.
    private var seen = AspectTable<Reading?>(repeating: nil)
    /// How far the consumer has seen; `nil` before the start.
    private(set) var positions: Positions?

    init(policies: [Aspect: Policy] = [:]) {
        self.policies = policies
    }

    var isEmpty: Bool { !hasNext(inBackground: false) }

    /// Takes the states that the consumer starts from, without telling them.
    mutating func start(from events: [Event], of instance: String) {
        if positions?.instance != instance { positions = Positions(instance: instance, generations: [:]) }
        for event in events { see(event) }
    }

    /// Takes the states of a bus that does not know what was told; those that are as they were seen are not told.
    ///
    /// Values of settings are not on the wire, so settings may have changed whatever their keys are.
    mutating func restart(from events: [Event], of instance: String) {
        start(from: [], of: instance)
        for event in events {
            let isSeen = !event.aspect.isReportedInParts && seen[event.aspect] == event.reading
            if isSeen && !waiting.contains(where: { $0.event.aspect == event.aspect }) {
                see(event)
            } else {
                put([event])
            }
        }
    }

    /// Takes states whose changes the policy `drop` has dropped: they count as seen, and what waits is told with them.
    mutating func skip(_ states: [Event]) {
        for state in states {
            if waiting.contains(where: { $0.event.aspect == state.aspect }) { put([state]) } else { see(state) }
        }
    }

    /// Takes the events of one reply, in their order.
    ///
    /// - Parameters:
    ///   - events: What the bus told.
    ///   - areAnswers: The consumer has asked for them: states among them are told in the background too.
    mutating func put(_ events: [Event], areAnswers: Bool = false) {
        var once: AspectSet = []
        var repeated: AspectSet = []
        for event in events where !once.insert(AspectSet(event.aspect)).inserted {
            repeated.insert(AspectSet(event.aspect))
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

    /// Takes the event that has waited longest since its last change.
    ///
    /// - Parameter inBackground: Only what is told in the background too: a state that was asked for, and what has the
    ///   policy `immediate`.
    /// - Returns: The event; `nil` where nothing is due.
    mutating func take(inBackground: Bool = false) -> Event? {
        guard let next = next(inBackground: inBackground) else { return nil }
        let event = waiting.remove(at: next).event
        see(event)
        return event
    }

    private mutating func see(_ event: Event) {
        seen[event.aspect] = event.reading
        positions?.generations[event.aspect] = event.generation
    }

    /// Says whether anything can be taken.
    func hasNext(inBackground: Bool) -> Bool {
        next(inBackground: inBackground) != nil
    }

    private func next(inBackground: Bool) -> Int? {
        waiting.firstIndex { waiting in
            let (event, policy) = (waiting.event, policies[waiting.event.aspect])
            let isState = event.changes == 0
            if inBackground && !(isState && waiting.isAnswer) && policy?.background != .immediate { return false }
            // What has come back to what was seen waits for a later change where the policy says so.
            return isState || event.netChange || policy?.netChangeOnly != true
        }
    }

    /// How many changes of an aspect are kept apart; `nil` where they are merged.
    private func heldLimit(of aspect: Aspect) -> Int? {
        guard case .hold(let limit) = policies[aspect]?.background else { return nil }
        return limit
    }

    /// Forgets the oldest of those kept apart beyond the policy's limit, and counts them.
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
