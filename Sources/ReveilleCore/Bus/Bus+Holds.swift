// SPDX-License-Identifier: Apache-2.0

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

    /// Prepares the policies for a background, where only aspects with the policy `immediate` wait for an interval.
    private mutating func beginBackground(_ slot: Int) {
        forEachEntry(of: slot) { bus, index in
            let entry = bus.entries[Int(index)]
            guard entry.policy >= 0 else { return }
            bus.policies[Int(entry.policy)].hadPending = bus.isDue(entry)
            bus.policies[Int(entry.policy)].backgroundStart = bus.logs[Int(entry.log)].changes.current.generation
            if entry.isBehind, !bus.isImmediate(entry), bus.paced.remove(index) { bus.fallBehind(index) }
        }
    }

    /// Cancels the paced waits of a frozen subscription.
    private mutating func endWaits(of slot: Int) {
        forEachEntry(of: slot) { bus, index in
            if bus.entries[Int(index)].isBehind, bus.paced.remove(index) { bus.fallBehind(index) }
        }
    }

    private mutating func endBackground(_ slot: Int) {
        var dropped: [Int] = []
        forEachEntry(of: slot) { bus, index in
            let entry = bus.entries[Int(index)]
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
                bus.entries[Int(index)].seen = log.current
                dropped.append(Int(entry.log))
            case .coalesce, .hold, .immediate, .drop, .end: break
            }
        }
        for log in dropped { settle(log) }
    }

    /// Adds a subscription to the foreground counts and to the demand for names, or removes it from them.
    mutating func countForeground(_ slot: Int, _ difference: Int) {
        guard let state = slots[slot] else { return }
        let isFrozen = state.holds.contains(.frozen)
        forEachEntry(of: slot) { bus, index in
            let entry = bus.entries[Int(index)]
            guard let aspect = bus.logs[Int(entry.log)].aspect.builtIn else {
                return bus.countNeed(of: entry, for: state, difference)
            }
            let isServed = !state.isInBackground || !isFrozen && bus.isImmediate(entry)
            if isServed { bus.count(entry, of: aspect, difference) }
        }
        if let table = profiles[slot]?.policies { countNeeds(by: table, for: state, difference) }
    }

    private mutating func count(_ entry: Entry, of aspect: BuiltInAspect, _ difference: Int) {
        foreground.counts[aspect] += difference
        guard aspect.kind == .stream, entry.policy >= 0 else { return }
        let interval = policies[Int(entry.policy)].policy.sampleInterval
        let count = (foreground.sampleIntervals[aspect][interval] ?? 0) + difference
        foreground.sampleIntervals[aspect][interval] = count == 0 ? nil : count
    }

    private mutating func forEachEntry(of slot: Int, _ body: (inout Bus, Int32) -> Void) {
        var index = slots[slot]?.firstEntry ?? -1
        while index >= 0 {
            body(&self, index)
            index = entries[Int(index)].next
        }
    }
}
