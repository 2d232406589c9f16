// SPDX-License-Identifier: Apache-2.0

// The holds of a subscription.

extension Bus {
    /// Adds a hold reason of the background; adding it again has no effect.
    package mutating func hold(_ reason: HoldReasons, on id: SubscriptionID, at time: Timestamp) {
        guard let slot = slotOf[id].map({ Int($0) }), let before = slots[slot] else { return }
        setHolds(before.holds.union(reason), slot)
        if !before.isInBackground, !reason.isDisjoint(with: .background), before.hasPolicies { beginBackground(slot) }
        if reason.contains(.frozen), before.hasPolicies { endWaits(of: slot) }
        slots[slot]?.endPhase(isHeld: !reason.isDisjoint(with: .requested))
        noteLifecycle(of: slot, at: time)
    }

    /// Removes a hold reason of the background; pending changes can be delivered once none is left.
    ///
    /// Removing an absent reason has no effect on deliveries. In the foreground, the lifecycle enters the phase; `nil`
    /// leaves it unchanged.
    package mutating func release(
        _ reason: HoldReasons, from id: SubscriptionID, into phase: LifecyclePhase? = nil, at time: Timestamp
    ) {
        guard let slot = slotOf[id].map({ Int($0) }), let before = slots[slot] else { return }
        if let phase { slots[slot]?.choosePhase(phase) }
        let holds = before.holds.subtracting(reason)
        setHolds(holds, slot)
        if before.isInBackground, holds.isDisjoint(with: .background), before.hasPolicies { endBackground(slot) }
        slots[slot]?.endPhase(isHeld: false, into: phase ?? .usual)
        noteLifecycle(of: slot, at: time)
        guard holds != before.holds else { return }
        if slots[slot].map({ $0.firstBehind >= 0 }) == true { enqueue(slot) }
    }

    /// Notes that a subscriber has read its last reply.
    package mutating func noteRead(by id: SubscriptionID) {
        guard let slot = slotOf[id].map({ Int($0) }), slots[slot]?.holds.contains(.unread) == true else { return }
        slots[slot]?.holds.remove(.unread)
        if slots[slot].map({ $0.firstBehind >= 0 }) == true { enqueue(slot) }
    }

    private mutating func setHolds(_ holds: HoldReasons, _ slot: Int) {
        guard let before = slots[slot]?.holds else { return }
        guard
            before.intersection(.background).isEmpty != holds.intersection(.background).isEmpty
                || before.contains(.frozen) != holds.contains(.frozen)
        else {
            slots[slot]?.holds = holds
            return
        }
        countForeground(slot, -1)
        slots[slot]?.holds = holds
        countForeground(slot, 1)
    }

    /// Prepares the policies for a background.
    ///
    /// In the background, only aspects with the policy `immediate` wait for an interval.
    private mutating func beginBackground(_ slot: Int) {
        var index = slots[slot]?.firstEntry ?? -1
        while index >= 0 {
            let entry = entries[Int(index)]
            if entry.policy >= 0 {
                policies[Int(entry.policy)].hadPending = isDue(entry)
                policies[Int(entry.policy)].backgroundStart = logs[Int(entry.log)].changes.current.generation
                if entry.isBehind, !isImmediate(entry), paced.remove(index) { fallBehind(index) }
            }
            index = entry.next
        }
    }

    /// Lets no aspect of a subscription wait for a time, since its process is frozen.
    private mutating func endWaits(of slot: Int) {
        var index = slots[slot]?.firstEntry ?? -1
        while index >= 0 {
            let entry = entries[Int(index)]
            if entry.isBehind, paced.remove(index) { fallBehind(index) }
            index = entry.next
        }
    }

    /// Applies the policies of a background that ends.
    private mutating func endBackground(_ slot: Int) {
        var dropped: [Int] = []
        forEachEntry(of: slot) { bus, entry in
            guard entry.policy >= 0, let seen = entry.seen else { return }
            let state = bus.policies[Int(entry.policy)]
            let log = bus.logs[Int(entry.log)].changes
            switch state.policy.background {
            case .hold where log.current.generation > state.backgroundStart:
                // If changes of an earlier background are still due, the changes between both backgrounds are delivered
                // one by one too.
                let earlier = state.heldChanges(after: seen, in: log)
                bus.policies[Int(entry.policy)].held = PolicyState.Held(
                    after: earlier?.after ?? state.backgroundStart, through: log.current)
            case .drop where !state.hadPending:
                entry.seen = log.current
                dropped.append(Int(entry.log))
            case .coalesce, .hold, .immediate, .drop, .end: break
            }
        }
        for log in dropped { settle(log) }
    }

    /// Adds a subscription to the foreground counts, or removes it from them.
    mutating func countForeground(_ slot: Int, _ difference: Int) {
        guard let state = slots[slot] else { return }
        let isFrozen = state.holds.contains(.frozen)
        forEachEntry(of: slot) { bus, entry in
            guard let aspect = bus.logs[Int(entry.log)].aspect.builtIn else { return }
            let isServed = !state.isInBackground || !isFrozen && bus.isImmediate(entry)
            if isServed { bus.count(entry, of: aspect, difference) }
        }
    }

    private mutating func count(_ entry: Entry, of aspect: BuiltInAspect, _ difference: Int) {
        foreground.counts[aspect] += difference
        guard aspect.kind == .stream, entry.policy >= 0 else { return }
        let interval = policies[Int(entry.policy)].policy.sampleInterval
        let count = (foreground.sampleIntervals[aspect][interval] ?? 0) + difference
        foreground.sampleIntervals[aspect][interval] = count == 0 ? nil : count
    }

    private mutating func forEachEntry(of slot: Int, _ body: (inout Bus, inout Entry) -> Void) {
        var index = slots[slot]?.firstEntry ?? -1
        while index >= 0 {
            var entry = entries[Int(index)]
            body(&self, &entry)
            entries[Int(index)] = entry
            index = entry.next
        }
    }
}
