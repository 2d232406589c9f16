// SPDX-License-Identifier: Apache-2.0

extension Bus {
    /// Forgets withdrawn names of a user if there are more than a limit, so that neither sleeping subscribers to patterns
    /// nor long intervals make the bus keep every name that comes and goes.
    ///
    /// Withdrawals that wait for the interval of a policy are delivered now. If the subscribers of a name are held, the
    /// name is forgotten only if no subscription has seen it published: its event would say that nothing is different.
    /// All other names are kept: for each subscription, at most as many as were published at one time.
    ///
    /// - Complexity: Constant on average, and linear in the number of entries once that many names have been added.
    package mutating func limitWithdrawnNames(of user: UInt32, to limit: Int) {
        guard let names = nameTable.counts[user], names.kept - names.live > max(limit, names.nextLimit) else { return }
        endWaits(ofNamesOf: user)
        var isForgettable = logs.map { $0.publisher?.user == user && !$0.isLive && $0.literalCount == 0 }
        for entry in entries where isForgettable[Int(entry.log)] {
            if let seen = entry.seen, !seen.isUnpublished { isForgettable[Int(entry.log)] = false }
        }
        for slot in slots.indices { removeBehind(of: slot) { isForgettable[Int($0.log)] } }
        for index in entries.indices where entries[index].seen != nil && isForgettable[Int(entries[index].log)] {
            release(Int32(index))
        }
        for index in logs.indices where isForgettable[index] {
            count(index, for: user, -1)
            logs[index].publisher = nil
            forgetIfUngiven(index)
        }
        // Subscriptions that are not held are about to receive the withdrawals.
        var isHeld = [Bool](repeating: false, count: logs.count)
        for entry in entries where entry.seen != nil && entry.isBehind && !isOpen(entry) {
            isHeld[Int(entry.log)] = true
        }
        let rest = logs.indices.count { isHeld[$0] && logs[$0].publisher?.user == user && !logs[$0].isLive }
        nameTable.counts[user]?.nextLimit = 2 * rest
    }

    private mutating func endWaits(ofNamesOf user: UInt32) {
        for index in entries.indices {
            let entry = entries[index]
            guard entry.seen != nil, entry.policy >= 0, !logs[Int(entry.log)].isLive,
                logs[Int(entry.log)].publisher?.user == user
            else { continue }
            policies[Int(entry.policy)].nextEvent = 0
            if paced.remove(Int32(index)) { endWait(of: Int32(index)) }
        }
    }

    private mutating func removeBehind(of slot: Int, where isRemoved: (Entry) -> Bool) {
        var index = slots[slot]?.firstBehind ?? -1
        slots[slot]?.firstBehind = -1
        while index >= 0 {
            let entry = entries[Int(index)]
            if !isRemoved(entry) { fallBehind(index) }
            index = entry.link
        }
    }
}
