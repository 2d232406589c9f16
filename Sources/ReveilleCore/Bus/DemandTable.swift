// SPDX-License-Identifier: Apache-2.0

/// Which of the publishers' names and patterns the subscriptions need.
package struct DemandTable: Sendable {
    /// The publishers that ask, and the subscriptions that need it.
    private var targets: [Aspect: (observers: Int, subscriptions: Int)] = [:]
    private var needs: [SubscriptionID: Set<Aspect>] = [:]

    package init() {}

    /// What publishers ask about.
    package var aspects: some Collection<Aspect> { targets.keys }

    package func isNeeded(_ aspect: Aspect) -> Bool { targets[aspect].map { $0.subscriptions > 0 } ?? false }

    /// Begins to count for a publisher; returns whether no other has asked about the aspect.
    package mutating func observe(_ aspect: Aspect) -> Bool {
        targets[aspect, default: (0, 0)].observers += 1
        return targets[aspect]?.observers == 1
    }

    package mutating func endObserving(_ aspect: Aspect) {
        targets[aspect]?.observers -= 1
        guard targets[aspect]?.observers == 0 else { return }
        targets[aspect] = nil
        for id in needs.keys { needs[id]?.remove(aspect) }
    }

    /// Notes what a subscription needs now; returns whether that makes a difference to anybody.
    package mutating func set(_ id: SubscriptionID, needs aspects: Set<Aspect>) -> Bool {
        let former = needs[id] ?? []
        guard aspects != former else { return false }
        needs[id] = aspects.isEmpty ? nil : aspects
        var isChange = false
        for aspect in aspects.subtracting(former) {
            targets[aspect]?.subscriptions += 1
            isChange = isChange || targets[aspect]?.subscriptions == 1
        }
        for aspect in former.subtracting(aspects) {
            targets[aspect]?.subscriptions -= 1
            isChange = isChange || targets[aspect]?.subscriptions == 0
        }
        return isChange
    }
}

extension Bus {
    /// Returns whether a subscription needs a name, or any name that a pattern matches, as far as its holds tell.
    ///
    /// A subscription that is held by request needs only what it wants to have of each change in the background.
    package func needs(_ target: Aspect, by id: SubscriptionID) -> Bool {
        guard let slot = slotOf[id], let subscription = slots[Int(slot)], !subscription.holds.contains(.frozen) else {
            return false
        }
        let isHeld = !subscription.holds.isDisjoint(with: .requested)
        if let policies = profiles[Int(slot)]?.policies,
            policies.patterns.contains(where: { $0.overlaps(target) }), !isHeld || policies.keepsChanges(of: target)
        {
            return true
        }
        var index = subscription.firstEntry
        while index >= 0 {
            let entry = entries[Int(index)]
            index = entry.next
            guard entry.isLiteral, target.overlaps(logs[Int(entry.log)].aspect) else { continue }
            if !isHeld || entry.policy >= 0 && policies[Int(entry.policy)].policy.keepsChanges { return true }
        }
        return false
    }
}

extension PolicyTable {
    /// Returns whether a subscriber in the background wants each change of a name, or of one that a pattern matches.
    fileprivate func keepsChanges(of target: Aspect) -> Bool {
        guard target.isPattern else { return self[target].keepsChanges }
        return self[target].keepsChanges || below(target).contains { $0.keepsChanges }
    }
}

extension Policy {
    fileprivate var keepsChanges: Bool {
        switch background {
        case .immediate, .hold: true
        case .coalesce, .drop, .end: false
        }
    }
}
