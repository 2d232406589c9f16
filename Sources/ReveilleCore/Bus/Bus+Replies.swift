// SPDX-License-Identifier: Apache-2.0

// How pending events are divided into replies.

extension Bus {
    /// The approximate size limit of a reply in bytes; all further events follow in the next reply.
    ///
    /// A thousand names with values of the usual length fit in one reply. Without a limit, each of a user's connections
    /// could leave the latest changes of all names unread: 64 MB and more.
    static let replySize = 1 << 20

    /// The approximate size of an event without its value: its aspect, its numbers and the names of its fields.
    static let eventSize = 256

    /// Takes the entries of the next reply off a subscription's "behind" list, and returns the first of them, or -1.
    ///
    /// The subscription's own lifecycle comes first, then the entry that has been behind longest.
    mutating func takeReply(of slot: Int, at now: UInt64) -> Int32 {
        var next = slots[slot]?.firstBehind ?? -1
        slots[slot]?.firstBehind = -1
        var first: Int32 = -1
        var closed: Int32 = -1
        var own: Int32 = -1
        while next >= 0 {
            let index = next
            let entry = entries[Int(index)]
            next = entry.link
            guard isOpen(entry) else {
                entries[Int(index)].link = closed
                closed = index
                continue
            }
            if entry.policy >= 0, policies[Int(entry.policy)].nextEvent > now, isDue(entry) {
                paced.insert(index, due: policies[Int(entry.policy)].nextEvent)
                continue
            }
            if entry.isOwn {
                own = index
                continue
            }
            entries[Int(index)].link = first
            first = index
        }
        if own >= 0 {
            entries[Int(own)].link = first
            first = own
        }
        putBack(closed)
        return first < 0 || entries[Int(first)].link < 0 ? first : takeFirst(of: first)
    }

    /// Returns the entries of a list that fit in one reply, and puts the others back on the "behind" list.
    ///
    /// Both lists keep their order, so names that change all the time do not keep others waiting.
    private mutating func takeFirst(of first: Int32) -> Int32 {
        var rest = Self.replySize
        var (last, next) = (first, first)
        while next >= 0, rest > 0 {
            rest -= eventsSize(of: entries[Int(next)])
            (last, next) = (next, entries[Int(next)].link)
        }
        entries[Int(last)].link = -1
        putBack(next)
        return first
    }

    /// Puts the entries of a list back on the "behind" list, oldest first.
    private mutating func putBack(_ first: Int32) {
        var next = first
        while next >= 0 {
            let index = next
            next = entries[Int(index)].link
            fallBehind(index)
        }
    }

    /// Returns the approximate size of an entry's due events; 0 if there are none.
    private func eventsSize(of entry: Entry) -> Int {
        guard isDue(entry) else { return 0 }
        let log = Int(entry.log)
        guard entry.policy >= 0, case .hold(let limit) = policies[Int(entry.policy)].policy.background else {
            return Self.eventSize + logs[log].changes.current.size
        }
        return logs[log].changes.size(limit: limit, perEvent: Self.eventSize)
    }
}
