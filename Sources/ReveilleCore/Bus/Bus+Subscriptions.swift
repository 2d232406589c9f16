// SPDX-License-Identifier: Apache-2.0

extension Bus {
    /// Adds a subscription with a unique identifier, which receives every change from now on.
    ///
    /// The first reply is sent in the background too, and counts as unread until ``noteRead(by:)``.
    package mutating func subscribe(
        _ request: SubscriptionRequest, as id: SubscriptionID, of user: UInt32 = 0, at time: Timestamp
    ) -> SubscriptionStart {
        precondition(slotOf[id] == nil, "a subscription's identifier is used twice")
        let chosen = request.domains.map { track($0, for: user) }
        let resumed = request.positions.map {
            request.instance == instance && areKnown($0, of: request.aspects, chosen)
        }
        let slot = freeSlots.popLast() ?? slots.count
        if slot == slots.count {
            slots.append(nil)
            profiles.append(nil)
        }
        let policies = PolicyTable(request.policies, of: request.aspects)
        slots[slot] = SubscriptionState(
            id: id, omitsSupply: !request.wantsSupply, startsInBackground: request.startsInBackground,
            endsInBackground: policies[.lifecycle].background == .end)
        profiles[slot] = SubscriptionProfile(
            name: request.name, policies: policies.patterns.isEmpty ? nil : policies)
        slotOf[id] = Int32(slot)
        var events: [Event] = []
        for index in logs(of: request.aspects, chosen, for: slot, at: time) {
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
            if let prefix = pattern.pattern { nameTable.slotsOfPattern[prefix, default: []].append(Int32(slot)) }
        }
        countForeground(slot, 1)
        events.sortForReply()
        return SubscriptionStart(resumed: resumed, events: events)
    }

    /// Returns whether no position is ahead of the bus.
    private func areKnown(_ positions: [Aspect: Int], of aspects: AspectSet, _ chosen: Int?) -> Bool {
        positions.allSatisfy { aspect, generation in
            guard aspects.covers(aspect), aspect.builtIn?.isOfSubscription != true else { return true }
            let log = aspect == .defaults ? chosen ?? log(of: aspect) : log(of: aspect)
            return generation <= log.map { logs[$0].changes.current.generation } ?? sequence
        }
    }

    /// Returns the logs of aspects and of all names that their patterns match, and adds missing logs; of the settings, the
    /// log of the chosen domains, if there is one.
    private mutating func logs(of aspects: AspectSet, _ chosen: Int?, for slot: Int, at time: Timestamp) -> [Int] {
        var indices = aspects.builtIn.filter { !$0.isOfSubscription }.map {
            $0 == .defaults ? chosen ?? $0.index : $0.index
        }
        if aspects.contains(Aspect.lifecycle) { indices.append(addLifecycle(of: slot, at: time)) }
        let literal = aspects.names.filter(\.isPublished).sorted()
        for name in literal { indices.append(log(of: name) ?? addLog(of: name, at: time)) }
        let patterns = aspects.names.filter(\.isPattern)
        return indices
            + nameTable.logs(of: patterns).filter { !logs[$0].isVacant && !aspects.contains(logs[$0].aspect) }
    }

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
            let seen = logs[index].changes.change(at: position)
            return logs[index].changes.event(since: seen, omitsSupply: !request.wantsSupply)
        }
        // The samples before a restart are unknown, so the current sample is sent instead.
        let isOutdated = logs[index].isStream && request.positions?[aspect] ?? .max < logs[index].changes.start
        guard request.wantsInitial || resumed == false || isOutdated, isLiteral || isLive else { return nil }
        if logs[index].selection != nil { logs[BuiltInAspect.defaults.index].origin.wasReturned = true }
        logs[index].origin.wasReturned = true
        return logs[index].changes.state(omitsSupply: !request.wantsSupply)
    }

    /// Returns an event for each vacant or forgotten name that the subscriber knows by a pattern.
    private func withdrawals(since request: SubscriptionRequest, at time: Timestamp) -> [Event] {
        let patterns = request.aspects.names.filter(\.isPattern)
        return (request.positions ?? [:]).sorted { $0.key < $1.key }.compactMap { name, position in
            let index = nameTable.logs[name]
            guard name.isPublished, !request.aspects.contains(name), index.map({ logs[$0].isVacant }) ?? true,
                patterns.contains(where: { $0.matches(name) })
            else { return nil }
            var log =
                index.map { logs[$0].changes }
                ?? ChangeLog(absent: name, sequence: sequence, capacity: 1, at: time)
            return position < log.current.generation ? log.event(since: log.change(at: position)) : nil
        }
    }

    package mutating func cancel(_ id: SubscriptionID) {
        guard let slot = slotOf.removeValue(forKey: id).map({ Int($0) }) else { return }
        countForeground(slot, -1)
        for pattern in profiles[slot]?.policies?.patterns ?? [] {
            guard let prefix = pattern.pattern else { continue }
            nameTable.slotsOfPattern[prefix]?.removeAll { $0 == Int32(slot) }
            if nameTable.slotsOfPattern[prefix]?.isEmpty == true { nameTable.slotsOfPattern[prefix] = nil }
        }
        while let index = slots[slot]?.firstEntry, index >= 0 {
            release(index)
            settle(Int(entries[Int(index)].log))
            settleSelection(Int(entries[Int(index)].log))
        }
        removeLifecycle(of: slot)
        slots[slot] = nil
        profiles[slot] = nil
        freeSlots.append(slot)
    }
}
