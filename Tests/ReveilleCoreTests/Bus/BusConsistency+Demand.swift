// SPDX-License-Identifier: Apache-2.0

@testable import ReveilleCore

extension BusConsistency {
    mutating func checkDemand(_ bus: borrowing Bus) {
        for target in Self.targets {
            let needing = bus.slots.compactMap(\.self).filter { bus.needs(target, $0) }
            require(
                bus.demand.isNeeded(target) != needing.isEmpty, "\(target) is needed by \(needing.map(\.id.rawValue))")
        }
    }

    /// The names and patterns that random operations use, and others beside, above and below.
    private static let targets: [Aspect] =
        RandomOperations.names + RandomOperations.patterns + [
            "org.a.x.y", "org.a.x.y.*", "org.other", "org.other.*", "org.a.other", "com", "de.*", "or.*", "org.a.xx.*",
        ]
}

extension Bus {
    /// Returns whether a subscription needs a name, or any name of a pattern, by a look at all that it has.
    fileprivate func needs(_ target: Aspect, _ subscription: SubscriptionState) -> Bool {
        guard !subscription.holds.contains(.frozen), !subscription.isLate else { return false }
        let isHeld = !subscription.holds.isDisjoint(with: .requested)
        let slot = Int(slotOf[subscription.id] ?? -1)
        if let table = profiles[slot]?.policies, table.patterns.contains(where: { $0.overlaps(target) }) {
            let below = RandomOperations.names + RandomOperations.patterns
            let candidates = target.isPattern ? [target] + below.filter { target.spans($0) } : [target]
            let own = candidates.filter { name in
                name == target || !name.isPattern
                    ? table.patterns.contains { $0.spans(name) } : table.patterns.contains(name)
            }
            if !isHeld || own.contains(where: { keeps(table[$0]) }) { return true }
        }
        var index = subscription.firstEntry
        while index >= 0 {
            let entry = entries[Int(index)]
            index = entry.next
            guard entry.isLiteral, target.overlaps(logs[Int(entry.log)].aspect) else { continue }
            if !isHeld || entry.policy >= 0 && keeps(policies[Int(entry.policy)].policy) { return true }
        }
        return false
    }

    private func keeps(_ policy: Policy) -> Bool {
        switch policy.background {
        case .immediate, .hold: true
        case .coalesce, .drop, .end: false
        }
    }
}

extension Aspect {
    /// Returns whether a name is, or could be, both this or one of its names and the other or one of its names.
    func overlaps(_ other: Aspect) -> Bool { spans(other) || other.spans(self) }
}
