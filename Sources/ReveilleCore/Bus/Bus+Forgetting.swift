// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Bus {
    /// Forgets withdrawn names of a user if there are more than a limit, so that sleeping subscribers to patterns do not
    /// make the bus keep every name that comes and goes.
    ///
    /// Only names that no subscription has seen published are forgotten: their events would say that nothing is
    /// different. All others are kept, at most as many for each subscription as were published at one time.
    ///
    /// - Complexity: Constant on average, and linear in the number of entries once that many names have been added.
    package mutating func limitWithdrawnNames(of user: UInt32, to limit: Int) {
        guard let names = namesOfUser[user], names.kept - names.live > max(limit, names.nextLimit) else { return }
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
        guard let rest = namesOfUser[user] else { return }
        namesOfUser[user]?.nextLimit = 2 * (rest.kept - rest.live)
    }

    /// Removes entries from the list of those of a subscription that are behind.
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
