// SPDX-License-Identifier: Apache-2.0

/// The names and patterns that subscriptions need, and the publishers that observe them.
///
/// A subscription whose needs change costs time for its own names, however many are observed.
package struct NameDemandTable: Sendable {
    /// The subscriptions whose need begins at a name or a pattern, minus those whose need ends there, if not 0.
    private var needs = NameMap<Int>()
    /// The publishers of each observed name and pattern.
    private var observers = NameMap<[UInt64]>()
    /// The observed names and patterns whose need may have changed, until the publishers are taken.
    private var changed: Set<Substring> = []
    /// The patterns whose need has changed, which affects the observers of everything below them.
    private var changedPatterns: Set<Substring> = []

    /// Returns whether a subscription needs a name, or a name of a pattern.
    package func isNeeded(_ aspect: Aspect) -> Bool {
        guard !needs.isEmpty else { return false }
        return aspect.spanningKeys.reduce(0) { $0 + (needs[$1] ?? 0) } > 0
            || aspect.isPattern && needs.hasAny(below: aspect.key)
    }

    package mutating func observe(_ aspect: Aspect, by publisher: UInt64) {
        observers[aspect.key] = (observers[aspect.key] ?? []) + [publisher]
    }

    package mutating func endObserving(_ aspect: Aspect, by publisher: UInt64) {
        let others = observers[aspect.key]?.filter { $0 != publisher } ?? []
        observers[aspect.key] = others.isEmpty ? nil : others
    }

    package var hasChanges: Bool { !changed.isEmpty || !changedPatterns.isEmpty }

    /// Returns the publishers that observe anything whose need may have changed since the last call.
    package mutating func takeChanged() -> Set<UInt64> {
        let lists = changed.compactMap { observers[$0] } + observers.below(changedPatterns)
        (changed, changedPatterns) = ([], [])
        return Set(lists.joined())
    }

    mutating func countNeed(of aspect: Aspect, _ difference: Int) {
        let count = (needs[aspect.key] ?? 0) + difference
        needs[aspect.key] = count == 0 ? nil : count
        guard !observers.isEmpty else { return }
        for key in aspect.spanningKeys where observers[key] != nil { changed.insert(key) }
        if aspect.isPattern, observers.hasAny(below: aspect.key) { changedPatterns.insert(aspect.key) }
    }
}

extension Bus {
    package var demand: NameDemandTable {
        _read { yield nameTable.demand }
        _modify { yield &nameTable.demand }
    }

    /// Notes whether a subscriber leaves events unread for long; until it reads, it needs nothing from publishers.
    package mutating func setLate(_ isLate: Bool, _ id: SubscriptionID) {
        guard let slot = slotOf[id].map({ Int($0) }), slots[slot]?.isLate != isLate else { return }
        countForeground(slot, -1)
        slots[slot]?.isLate = isLate
        countForeground(slot, 1)
    }

    /// Adds a subscription to the demand for a name that it gave, or removes it.
    mutating func countNeed(of entry: Entry, for state: SubscriptionState, _ difference: Int) {
        guard entry.isLiteral, state.needsNames,
            !state.isSentToBackground || entry.policy >= 0 && policies[Int(entry.policy)].policy.keepsChanges
        else { return }
        demand.countNeed(of: logs[Int(entry.log)].aspect, difference)
    }

    /// Adds a subscription to the demand for the names of its patterns, or removes it.
    ///
    /// A subscription that is held by request needs only the names of which it keeps each change.
    mutating func countNeeds(by table: PolicyTable, for state: SubscriptionState, _ difference: Int) {
        guard state.needsNames else { return }
        if state.isSentToBackground {
            for (aspect, step) in table.steps { demand.countNeed(of: aspect, difference * step) }
        } else {
            for pattern in table.patterns { demand.countNeed(of: pattern, difference) }
        }
    }
}

extension SubscriptionState {
    fileprivate var needsNames: Bool { !isLate && !holds.contains(.frozen) }
}
