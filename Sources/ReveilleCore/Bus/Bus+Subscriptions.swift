// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Bus {
    /// Adds a subscription, which receives every change from now on.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - id: The identifier, which must be unique.
    ///   - time: The current time, for names that the bus does not know yet.
    /// - Returns: The first reply, which is sent in the background too. It counts as unread until
    ///   ``noteRead(by:)``.
    package mutating func subscribe(
        _ request: SubscriptionRequest, as id: SubscriptionID, at time: Timestamp
    ) -> SubscriptionStart {
        precondition(slotOf[id] == nil, "a subscription's identifier is used twice")
        let resumed = request.positions.map { request.instance == instance && areKnown($0, of: request.aspects) }
        let slot = freeSlots.popLast() ?? slots.count
        if slot == slots.count {
            slots.append(nil)
            profiles.append(nil)
        }
        let policies = PolicyTable(request.policies, of: request.aspects)
        slots[slot] = SubscriptionState(id: id, startsInBackground: request.startsInBackground)
        profiles[slot] = SubscriptionProfile(
            name: request.name, endsInBackground: policies[.lifecycle].background == .end,
            policies: policies.patterns.isEmpty ? nil : policies)
        slotOf[id] = Int32(slot)
        var events: [Event] = []
        for index in logs(of: request.aspects, for: slot, at: time) {
            let log = logs[index]
            let isLiteral = request.aspects.contains(log.aspect)
            if let event = firstEvent(of: index, request, resumed: resumed, isLiteral: isLiteral) {
                events.append(event)
            }
            addEntry(
                to: slot, of: index, seen: log.changes.current, isLiteral: isLiteral,
                policy: policies[log.aspect].granted(to: log.aspect))
        }
        if resumed == true { events += withdrawals(since: request, at: time) }
        for pattern in policies.patterns {
            if let prefix = pattern.pattern { slotsOfPattern[prefix, default: []].append(Int32(slot)) }
        }
        countForeground(slot, 1)
        events.sortForReply()
        return SubscriptionStart(resumed: resumed, events: events)
    }

    /// Returns whether no position is ahead of the bus.
    private func areKnown(_ positions: [Aspect: Int], of aspects: AspectSet) -> Bool {
        positions.allSatisfy { aspect, generation in
            guard aspects.covers(aspect), aspect.builtIn?.isOfSubscription != true else { return true }
            return generation <= log(of: aspect).map { logs[$0].changes.current.generation } ?? sequence
        }
    }

    /// Returns the logs of aspects, and of all names that their patterns match.
    ///
    /// Adds those of names that are missing, and that of the subscription's own lifecycle.
    private mutating func logs(of aspects: AspectSet, for slot: Int, at time: Timestamp) -> [Int] {
        var indices = aspects.builtIn.filter { !$0.isOfSubscription }.map(\.index)
        if aspects.contains(Aspect.lifecycle) { indices.append(addLifecycle(of: slot, at: time)) }
        let literal = aspects.names.filter(\.isPublished).sorted()
        for name in literal { indices.append(log(of: name) ?? addLog(of: name, at: time)) }
        let patterns = aspects.names.filter(\.isPattern)
        guard !patterns.isEmpty else { return indices }
        for (index, log) in logs.enumerated()
        where !log.isVacant && patterns.contains(where: { $0.matches(log.aspect) }) {
            if !aspects.contains(log.aspect) { indices.append(index) }
        }
        return indices
    }

    /// Returns the event of an aspect in the first reply.
    private mutating func firstEvent(
        of index: Int, _ request: SubscriptionRequest, resumed: Bool?, isLiteral: Bool
    ) -> Event? {
        let aspect = logs[index].aspect
        let isLive = logs[index].isLive
        // A position of another subscription's lifecycle is of no use.
        let isResumed = resumed == true && aspect != .lifecycle
        // A name without a position was not published when the subscriber last heard of it.
        let unseen = isLive ? logs[index].changes.start : nil
        if isResumed, let position = request.positions?[aspect] ?? unseen,
            position < logs[index].changes.current.generation,
            !logs[index].isStream || position >= logs[index].changes.start
        {
            return logs[index].changes.event(since: logs[index].changes.change(at: position))
        }
        // The samples before a restart are unknown: the current one comes instead.
        let isOutdated = logs[index].isStream && request.positions?[aspect] ?? .max < logs[index].changes.start
        guard request.wantsInitial || resumed == false || isOutdated, isLiteral || isLive else { return nil }
        logs[index].origin.wasReturned = true
        return logs[index].changes.state
    }

    /// Returns an event for each name that the subscriber knows by a pattern and that is vacant or forgotten now.
    private func withdrawals(since request: SubscriptionRequest, at time: Timestamp) -> [Event] {
        let patterns = request.aspects.names.filter(\.isPattern)
        return (request.positions ?? [:]).sorted { $0.key < $1.key }.compactMap { name, position in
            let index = logOfName[name]
            guard name.isPublished, !request.aspects.contains(name), index.map({ logs[$0].isVacant }) ?? true,
                patterns.contains(where: { $0.matches(name) })
            else { return nil }
            let log =
                index.map { logs[$0].changes }
                ?? ChangeLog(absent: name, sequence: sequence, capacity: 1, at: time)
            return position < log.current.generation ? log.event(since: log.change(at: position)) : nil
        }
    }

    /// Ends a subscription, and discards its pending changes.
    package mutating func cancel(_ id: SubscriptionID) {
        guard let slot = slotOf.removeValue(forKey: id).map({ Int($0) }) else { return }
        countForeground(slot, -1)
        for pattern in profiles[slot]?.policies?.patterns ?? [] {
            guard let prefix = pattern.pattern else { continue }
            slotsOfPattern[prefix]?.removeAll { $0 == Int32(slot) }
            if slotsOfPattern[prefix]?.isEmpty == true { slotsOfPattern[prefix] = nil }
        }
        while let index = slots[slot]?.firstEntry, index >= 0 {
            release(index)
            settle(Int(entries[Int(index)].log))
        }
        removeLifecycle(of: slot)
        slots[slot] = nil
        profiles[slot] = nil
        freeSlots.append(slot)
    }

    // MARK: - Holds

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
    /// - Parameters:
    ///   - reason: The reason; one that does not hold has no effect on deliveries.
    ///   - id: The subscription.
    ///   - phase: The phase of the lifecycle in the foreground; `nil` to leave it.
    ///   - time: The current time.
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

    /// Sets the holds of a subscription, whose background may begin or end.
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

    /// Prepares the policies for a background, in which only aspects that ignore it wait for a time.
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
                // If changes of an earlier background are still due, those between the two are delivered one by one too.
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

    /// Adds a subscription to the counts of those in the foreground, or removes it.
    private mutating func countForeground(_ slot: Int, _ difference: Int) {
        guard let state = slots[slot] else { return }
        let isFrozen = state.holds.contains(.frozen)
        forEachEntry(of: slot) { bus, entry in
            guard let aspect = bus.logs[Int(entry.log)].aspect.builtIn else { return }
            let isServed = !state.isInBackground || !isFrozen && bus.isImmediate(entry)
            if isServed { bus.count(entry, of: aspect, difference) }
        }
    }

    private mutating func count(_ entry: Entry, of aspect: BuiltInAspect, _ difference: Int) {
        foregroundCounts[aspect] += difference
        guard aspect.kind == .stream, entry.policy >= 0 else { return }
        let interval = policies[Int(entry.policy)].policy.sampleInterval
        let count = (sampleIntervals[aspect][interval] ?? 0) + difference
        sampleIntervals[aspect][interval] = count == 0 ? nil : count
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
