// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// One client's view of the published names, and the checks of its events.
struct NameView {
    /// A state that the client has seen.
    private struct Seen {
        /// The index among the states of the name.
        let place: Int
        let generation: Int
        let value: String?
    }

    private let ledger: NameLedger
    private let aspects: AspectSet
    private let policies: PolicyTable
    /// Whether the client keeps positions of withdrawn names that only a pattern matches.
    private let keepsWithdrawn: Bool
    /// The state last seen of each name.
    private var seen: [Aspect: Seen] = [:]
    /// The numbers of states at the start of the subscription; the client subscribed between the two.
    private var atRequest: [Aspect: Int] = [:]
    private var atReply: [Aspect: Int] = [:]

    init(_ ledger: NameLedger, _ aspects: AspectSet, _ policies: PolicyTable, keepsWithdrawn: Bool) {
        self.ledger = ledger
        self.aspects = aspects
        self.policies = policies
        self.keepsWithdrawn = keepsWithdrawn
    }

    /// The positions from which another subscription can continue.
    var positions: [Aspect: Int] {
        seen.filter { keepsWithdrawn || aspects.contains($0.key) || $0.value.value != nil }.mapValues(\.generation)
    }

    private var counts: [Aspect: Int] {
        Dictionary(uniqueKeysWithValues: ledger.all.map { ($0, ledger.states(of: $0).count) })
    }

    // MARK: - Events

    /// Starts a subscription, which continues from ``positions``.
    mutating func request() {
        atRequest = counts
        let kept = positions
        seen = seen.filter { kept[$0.key] != nil }
    }

    /// Takes the events of the first reply.
    mutating func begin(_ events: [Event], isResumed: Bool) throws(Broken) {
        if !isResumed { seen = [:] }
        // If a name is ending and missing from the reply, the bus had noticed the end.
        atReply = Dictionary(
            uniqueKeysWithValues: counts.map { ($0, $1 + (ledger.isEnding($0) ? 1 : 0)) })
        for event in events {
            try checkMatch(event)
            let place = try ledger.place(of: event, isChange: false)
            if event.changeCount > 0 {
                guard isResumed else { throw Broken("\(event) without positions") }
                try checkResumed(event, to: place)
            } else if let before = seen[event.aspect], before.place != place {
                throw Broken("\(event) is given as known, but \(before) was seen before state \(place)")
            }
            note(event, at: place)
        }
        for name in aspects.names where name.isPublished && !events.contains(where: { $0.aspect == name }) {
            throw Broken("the first reply lacks \(name)")
        }
    }

    private func checkResumed(_ event: Event, to place: Int) throws(Broken) {
        let states = ledger.states(of: event.aspect)
        guard let seen = seen[event.aspect]?.place else {
            // Changes of a name that was never seen count from before its publication.
            let start = place - event.changeCount
            guard start >= -1, ledger.value(of: event.aspect, at: start) == nil, event.isNetChange,
                event.published?.isWithdrawn == false
            else { throw Broken("\(event) was never seen, and its states are \(states)") }
            return
        }
        // The bus may have forgotten a withdrawn name, and then no longer knows all changes.
        let isKnown = seen >= 0 && states[seen...max(seen, place)].allSatisfy { $0.value != nil }
        let count = place - seen
        guard isKnown ? event.changeCount == count : (1...max(1, count + 1)).contains(event.changeCount),
            event.isNetChange || ledger.value(of: event.aspect, at: seen) == event.published?.json
        else { throw Broken("\(event) after state \(seen) of \(states)") }
    }

    /// Takes an event after the first reply.
    mutating func take(_ event: Event) throws(Broken) {
        try checkMatch(event)
        let name = event.aspect
        let place = try ledger.place(of: event, isChange: true)
        // A name that a pattern matches later was not published when the subscription started.
        let before = seen[name]?.place ?? place - event.changeCount
        let isNew = seen[name] == nil
        guard event.changeCount == place - before, event.droppedCount == 0,
            !isNew || before >= (atRequest[name] ?? 0) - 1 && ledger.value(of: name, at: before) == nil,
            event.isNetChange == (ledger.value(of: name, at: before) != event.published?.json)
        else { throw Broken("\(event) after state \(before) of \(ledger.states(of: name))") }
        if policies[name].netChangeOnly, !event.isNetChange { throw Broken("\(event) is not a net change") }
        note(event, at: place)
    }

    private mutating func note(_ event: Event, at place: Int) {
        seen[event.aspect] = Seen(place: place, generation: event.generation, value: event.published?.json)
    }

    private func checkMatch(_ event: Event) throws(Broken) {
        guard matches(event.aspect) else { throw Broken("\(event) is of a name that was not subscribed") }
    }

    private func matches(_ name: Aspect) -> Bool {
        aspects.contains(name) || aspects.names.contains { $0.matches(name) }
    }

    // MARK: - Rest

    /// Checks that the client has seen the last state of each name, as far as its policies allow; the events of some
    /// names have to wait for their interval.
    func check(_ isWaiting: (Aspect) -> Bool) throws(Broken) {
        for name in ledger.all where matches(name) && !isWaiting(name) {
            let states = ledger.states(of: name)
            let last = states.count - 1
            let isSeen =
                if let seen = seen[name] {
                    seen.place == last || policies[name].netChangeOnly && seen.value == states[last].value
                } else {
                    states[last].value == nil && (last < atReply[name] ?? 0 || policies[name].netChangeOnly)
                }
            let before = seen[name].map { "\($0)" } ?? "nothing"
            guard isSeen else { throw Broken("saw \(before) of \(name), which has \(states)") }
        }
    }
}
