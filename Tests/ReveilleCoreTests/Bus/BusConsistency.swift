// SPDX-License-Identifier: Apache-2.0

@testable import ReveilleCore

/// The rules that the lists, counts and free slots of a bus follow between two calls.
struct BusConsistency {
    /// The violations of the rules, each with the indices concerned.
    private(set) var violations: [String] = []
    private var used: Set<Int32> = []

    init(of bus: borrowing Bus) {
        for (slot, subscription) in bus.slots.enumerated() {
            if let subscription { checkLists(of: subscription, slot, bus) }
        }
        for index in bus.logs.indices { checkLog(index, bus) }
        checkFreeSlots(bus)
        checkNames(bus)
        checkPatterns(bus)
        checkQueues(bus)
        checkCounts(bus)
        checkDemand(bus)
    }

    mutating func require(_ holds: Bool, _ rule: @autoclosure () -> String) {
        if !holds { violations.append(rule()) }
    }

    // MARK: - Lists

    private mutating func checkLists(of subscription: SubscriptionState, _ slot: Int, _ bus: borrowing Bus) {
        require(bus.slotOf[subscription.id] == Int32(slot), "slot \(slot) is not found by its identifier")
        var own: [Int32] = []
        var index = subscription.firstEntry
        while index >= 0, own.count <= bus.entries.count {
            let entry = bus.entries[Int(index)]
            require(entry.slot == slot && entry.seen != nil, "entry \(index) is in the list of slot \(slot)")
            require(entry.previous == own.last ?? -1, "entry \(index) does not know the one before it")
            if entry.policy >= 0 { require(subscription.hasPolicies, "slot \(slot) has policies") }
            own.append(index)
            index = entry.next
        }
        require(Set(own.map { bus.entries[Int($0)].log }).count == own.count, "slot \(slot) has an aspect twice")
        require(used.isDisjoint(with: own), "slot \(slot) shares entries")
        used.formUnion(own)
        var behind: Set<Int32> = []
        index = subscription.firstBehind
        while index >= 0, behind.insert(index).inserted { index = bus.entries[Int(index)].link }
        require(index < 0, "the list of slot \(slot) that is behind has no end")
        require(
            behind == Set(own.filter { bus.entries[Int($0)].isBehind && !waits(for: $0, bus) }),
            "slot \(slot) is behind in other entries")
        // Otherwise, a subscription would sleep although something is due.
        require(
            subscription.isQueued || subscription.holds.contains(.unread)
                || behind.allSatisfy { !bus.isOpen(bus.entries[Int($0)]) },
            "slot \(slot) is not queued although an entry is behind")
    }

    private func waits(for index: Int32, _ bus: borrowing Bus) -> Bool {
        Int(index) < bus.paced.positions.count && bus.paced.positions[Int(index)] >= 0
    }

    private mutating func checkLog(_ index: Int, _ bus: borrowing Bus) {
        let log = bus.logs[index]
        let own = used.filter { bus.entries[Int($0)].log == index }
        require(log.entryCount == own.count, "log \(index) counts \(log.entryCount) of \(own.count) entries")
        let literal = own.filter { bus.entries[Int($0)].isLiteral }
        require(log.literalCount == literal.count, "log \(index) counts \(log.literalCount) of \(literal.count) names")
        require(
            Set(log.listeners) == own.filter { !bus.entries[Int($0)].isBehind }
                && Set(log.listeners).count == log.listeners.count, "log \(index) has other listeners")
        for (place, listener) in log.listeners.enumerated() {
            let entry = bus.entries[Int(listener)]
            require(entry.link == place, "listener \(listener) is not at its place")
            require(
                entry.seen === log.changes.current || !bus.isDue(entry),
                "listener \(listener) has changes to take")
        }
        for entry in own {
            require(
                (bus.entries[Int(entry)].seen?.generation ?? 0) <= log.changes.current.generation,
                "entry \(entry) is ahead")
        }
    }

    // MARK: - Names

    private mutating func checkNames(_ bus: borrowing Bus) {
        require(
            zip(bus.logs, BuiltInAspect.allCases).allSatisfy { $0.aspect == Aspect($1) },
            "the logs of built-in aspects are not in order")
        var counts: [UInt32: NameCount] = [:]
        let free = Set(bus.freeLogs)
        require(free.count == bus.freeLogs.count, "a log is free twice")
        for index in bus.logs.indices.dropFirst(BuiltInAspect.allCases.count) {
            let log = bus.logs[index]
            let isOwn = bus.lifecycles.values.contains(index)
            let isKnown = bus.nameTable.logs[log.aspect] == index
            let isPart = bus.nameTable.selections.contains { $0.log == index }
            require(
                isKnown || [isOwn, isPart, free.contains(index)].count(where: \.self) == 1,
                "log \(index) is neither used nor free")
            require(isPart == (log.selection != nil), "log \(index) has the selection of another")
            if isOwn {
                require(log.entryCount == 1 && log.aspect == .lifecycle, "log \(index) is not the log of a lifecycle")
            }
            guard isKnown else { continue }
            require(log.aspect.isPublished, "log \(index) has the aspect \(log.aspect)")
            if log.isLive { require(log.publisher != nil, "\(log.aspect) has no publisher") }
            if log.isVacant { require(log.entryCount == log.literalCount, "\(log.aspect) is vacant, with patterns") }
            if log.isQuiet, log.publisher != nil {
                let isUnsettled = log.listeners.contains { index in
                    let seen = bus.entries[Int(index)].seen?.generation ?? 0
                    return waits(for: index, bus) || seen < log.changes.current.generation
                }
                require(isUnsettled, "\(log.aspect) is quiet but not vacant")
            }
            guard let user = log.publisher?.user else { continue }
            counts[user, default: NameCount()].kept += 1
            if log.isLive { counts[user, default: NameCount()].live += 1 }
        }
        let others = BuiltInAspect.allCases.count + bus.lifecycles.count + bus.nameTable.selections.count + free.count
        require(bus.nameTable.logs.count == bus.logs.count - others, "names without a log")
        let ordered = bus.nameTable.order.values.map { bus.logs[$0].aspect }
        require(ordered == bus.nameTable.logs.keys.sorted(), "the order of names")
        var users = bus.nameTable.counts
        for user in users.keys { users[user]?.nextLimit = 0 }
        require(counts == users, "names of users: \(users), expected \(counts)")
    }

    private mutating func checkPatterns(_ bus: borrowing Bus) {
        var slots: [Substring: Set<Int32>] = [:]
        for slot in bus.slots.indices {
            let patterns = bus.profiles[slot]?.policies?.patterns ?? []
            for prefix in patterns.compactMap(\.pattern) { slots[prefix, default: []].insert(Int32(slot)) }
            for log in bus.logs where log.aspect.builtIn == nil && (log.publisher != nil) {
                guard patterns.contains(where: { $0.matches(log.aspect) }) else { continue }
                let index = bus.nameTable.logs[log.aspect] ?? -1
                require(
                    used.contains { bus.entries[Int($0)].slot == slot && bus.entries[Int($0)].log == index },
                    "slot \(slot) has no entry of \(log.aspect)")
            }
        }
        require(bus.nameTable.slotsOfPattern.mapValues { Set($0) } == slots, "subscriptions of patterns")
        require(
            bus.nameTable.slotsOfPattern.allSatisfy { $1.count == slots[$0]?.count },
            "a subscription has a pattern twice")
    }

    // MARK: - Free slots

    private mutating func checkFreeSlots(_ bus: borrowing Bus) {
        let free = Set(bus.freeEntries)
        require(
            free.count == bus.freeEntries.count && free.isDisjoint(with: used)
                && free.count + used.count == bus.entries.count, "entries are neither used nor free")
        require(free.allSatisfy { bus.entries[Int($0)].seen == nil }, "a free entry keeps a change")
        let policies = used.map { bus.entries[Int($0)].policy }.filter { $0 >= 0 }
        require(
            Set(policies + bus.freePolicies).count == bus.policies.count
                && policies.count + bus.freePolicies.count == bus.policies.count, "policies are neither used nor free")
        require(bus.freePolicies.allSatisfy { bus.policies[Int($0)].held == nil }, "a free policy keeps a change")
        require(
            Set(bus.freeSlots) == Set(bus.slots.indices.filter { bus.slots[$0] == nil })
                && Set(bus.freeSlots).count == bus.freeSlots.count, "free slots")
        require(bus.slotOf.count == bus.slots.count - bus.freeSlots.count, "identifiers without a slot")
        require(bus.profiles.map { $0 == nil } == bus.slots.map { $0 == nil }, "slots and profiles")
    }

    // MARK: - Queues

    private mutating func checkQueues(_ bus: borrowing Bus) {
        let queued = Set(bus.ready.slots[bus.ready.head...])
        for (slot, subscription) in bus.slots.enumerated() where subscription?.isQueued == true {
            require(queued.contains(slot), "slot \(slot) is not in the queue")
        }
        let items = bus.paced.items
        for (place, item) in items.enumerated() {
            let entry = bus.entries[Int(item.entry)]
            require(
                bus.paced.positions[Int(item.entry)] == place, "entry \(item.entry) is not at its place in the heap")
            require(items[(max(place, 1) - 1) / 2].due <= item.due, "the heap is out of order at \(place)")
            require(used.contains(item.entry), "a free entry waits")
            require(
                entry.policy >= 0 && bus.policies[Int(entry.policy)].nextEvent == item.due,
                "entry \(item.entry) waits for another time")
            require(
                entry.isBehind ? bus.isAwake(entry) : !entry.isLiteral, "entry \(item.entry) waits without a reason")
        }
        require(bus.paced.positions.count { $0 >= 0 } == items.count, "the heap has lost entries")
    }

    private mutating func checkCounts(_ bus: borrowing Bus) {
        var counts = AspectTable<Int>(repeating: 0)
        var intervals = AspectTable<[UInt64: Int]>(repeating: [:])
        for index in used {
            let entry = bus.entries[Int(index)]
            guard let aspect = bus.logs[Int(entry.log)].aspect.builtIn else { continue }
            let holds = bus.slots[Int(entry.slot)]?.holds.intersection(.background) ?? []
            guard holds.isEmpty || bus.isImmediate(entry) && !holds.contains(.frozen) else { continue }
            counts[aspect] += 1
            guard aspect.kind == .stream else { continue }
            intervals[aspect][bus.policies[Int(entry.policy)].policy.sampleInterval, default: 0] += 1
        }
        require(counts == bus.foreground.counts, "foreground counts")
        require(intervals == bus.foreground.sampleIntervals, "intervals of samples")
    }
}

extension Bus {
    /// Returns whether events of an entry's aspect can be delivered once its subscriber has read its last reply.
    fileprivate func isAwake(_ entry: Entry) -> Bool {
        guard let state = slots[Int(entry.slot)] else { return false }
        return !state.isInBackground || !state.holds.contains(.frozen) && isImmediate(entry)
    }
}
