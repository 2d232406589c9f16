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

    var isEmpty: Bool { !hasNext(answersOnly: false) }

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
            let isSeen = event.aspect != .defaults && seen[event.aspect] == event.reading
            if isSeen && !waiting.contains(where: { $0.event.aspect == event.aspect }) {
                see(event)
            } else {
                put([event])
            }
        }
    }

    /// Takes the events of one reply, in their order.
    mutating func put(_ events: [Event]) {
        for event in events {
            let isApart = events.count { $0.aspect == event.aspect } > 1
            guard !isApart, let index = waiting.firstIndex(where: { $0.event.aspect == event.aspect && !$0.isApart })
            else {
                waiting.append(Waiting(event: event, isApart: isApart))
                limit(event.aspect)
                continue
            }
            let earlier = waiting.remove(at: index).event
            waiting.append(Waiting(event: earlier.merged(with: event, lastSeen: seen[event.aspect]), isApart: false))
        }
    }

    /// Takes the event that has waited longest since its last change.
    ///
    /// - Parameter answersOnly: Only a state that was asked for, which is told in the background too.
    /// - Returns: The event; `nil` where nothing is due.
    mutating func take(answersOnly: Bool = false) -> Event? {
        guard let next = next(answersOnly: answersOnly) else { return nil }
        let event = waiting.remove(at: next).event
        see(event)
        return event
    }

    private mutating func see(_ event: Event) {
        seen[event.aspect] = event.reading
        positions?.generations[event.aspect] = event.generation
    }

    /// Says whether anything can be taken.
    func hasNext(answersOnly: Bool) -> Bool {
        next(answersOnly: answersOnly) != nil
    }

    private func next(answersOnly: Bool) -> Int? {
        waiting.firstIndex { waiting in
            if waiting.event.changes == 0 || answersOnly { return waiting.event.changes == 0 }
            // What has come back to what was seen waits for a later change where the policy says so.
            return waiting.event.netChange || policies[waiting.event.aspect]?.netChangeOnly != true
        }
    }

    /// Forgets the oldest of those kept apart beyond the policy's limit, and counts them.
    private mutating func limit(_ aspect: Aspect) {
        guard case .hold(let limit) = policies[aspect]?.background else { return }
        let kept = waiting.indices.filter { waiting[$0].event.aspect == aspect && waiting[$0].isApart }
        guard kept.count > limit else { return }
        let forgotten = waiting[kept[0]].event
        waiting[kept[1]].event.dropped += forgotten.dropped + forgotten.changes
        waiting.remove(at: kept[0])
    }
}
