// SPDX-License-Identifier: Apache-2.0

extension Bus {
    /// Adds an aspect to a subscription, as a listener, or as behind if the log is ahead of the seen change.
    mutating func addEntry(to slot: Int, of log: Int, seen: Change, isLiteral: Bool, policy: Policy) {
        var entry = Entry(
            seen: seen, log: Int32(log), slot: Int32(slot), policy: addPolicy(policy), isLiteral: isLiteral,
            isOwn: logs[log].aspect == .lifecycle)
        if entry.policy >= 0 {
            policies[Int(entry.policy)].backgroundStart = seen.generation
            slots[slot]?.hasPolicies = true
        }
        entry.next = slots[slot]?.firstEntry ?? -1
        let index = freeEntries.popLast() ?? Int32(entries.count)
        if entry.next >= 0 { entries[Int(entry.next)].previous = index }
        slots[slot]?.firstEntry = index
        if index == entries.count { entries.append(entry) } else { entries[Int(index)] = entry }
        logs[log].entryCount += 1
        if isLiteral { logs[log].literalCount += 1 }
        listen(index)
    }

    private mutating func addPolicy(_ policy: Policy) -> Int32 {
        guard policy != Policy() else { return -1 }
        let index = freePolicies.popLast() ?? Int32(policies.count)
        if index == policies.count {
            policies.append(PolicyState(policy))
        } else {
            policies[Int(index)] = PolicyState(policy)
        }
        return index
    }

    /// Makes an unlisted entry a listener of its log.
    mutating func listen(_ index: Int32) {
        let log = Int(entries[Int(index)].log)
        entries[Int(index)].listen(at: logs[log].listeners.count)
        logs[log].listeners.append(index)
    }

    /// Adds an unlisted entry to its subscription's "behind" list.
    mutating func fallBehind(_ index: Int32) {
        let slot = Int(entries[Int(index)].slot)
        entries[Int(index)].fallBehind(before: slots[slot]?.firstBehind ?? -1)
        slots[slot]?.firstBehind = index
    }

    /// Removes an entry from all lists except its subscription's "behind" list.
    mutating func release(_ index: Int32) {
        let entry = entries[Int(index)]
        let log = Int(entry.log)
        if !entry.isBehind {
            let last = logs[log].listeners.removeLast()
            if last != index {
                logs[log].listeners[Int(entry.link)] = last
                entries[Int(last)].link = entry.link
            }
        }
        if entry.previous >= 0 {
            entries[Int(entry.previous)].next = entry.next
        } else {
            slots[Int(entry.slot)]?.firstEntry = entry.next
        }
        if entry.next >= 0 { entries[Int(entry.next)].previous = entry.previous }
        logs[log].entryCount -= 1
        if entry.isLiteral { logs[log].literalCount -= 1 }
        paced.remove(index)
        if entry.policy >= 0 {
            policies[Int(entry.policy)].held = nil
            freePolicies.append(entry.policy)
        }
        entries[Int(index)].seen = nil
        freeEntries.append(index)
    }

    /// Returns whether events of an entry's aspect can be delivered once the last reply is read.
    func isOpen(_ entry: Entry) -> Bool {
        guard let holds = slots[Int(entry.slot)]?.holds else { return false }
        // A frozen process reads nothing, whatever the policy.
        return holds.subtracting(.unread).isEmpty || !holds.contains(.frozen) && isImmediate(entry)
    }

    func isImmediate(_ entry: Entry) -> Bool {
        entry.policy >= 0 && policies[Int(entry.policy)].policy.background == .immediate
    }

    /// Returns whether an event of an entry's aspect would be delivered if nothing held the subscription.
    func isDue(_ entry: Entry) -> Bool {
        let log = Int(entry.log)
        guard let seen = entry.seen, logs[log].changes.current.generation > seen.generation else { return false }
        guard entry.policy >= 0, policies[Int(entry.policy)].policy.netChangeOnly else { return true }
        if policies[Int(entry.policy)].heldChanges(after: seen, in: logs[log].changes) != nil { return true }
        return !seen.isSameState(as: logs[log].changes.current, omitsSupply: omitsSupply(entry))
    }

    func omitsSupply(_ entry: Entry) -> Bool { slots[Int(entry.slot)]?.omitsSupply == true }

    func pending(_ entry: Entry) -> Int {
        if entry.policy >= 0, policies[Int(entry.policy)].isDropping, slots[Int(entry.slot)]?.isInBackground == true {
            return 0
        }
        return logs[Int(entry.log)].changes.current.generation - (entry.seen?.generation ?? 0)
    }
}
