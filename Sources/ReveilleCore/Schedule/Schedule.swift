// SPDX-License-Identifier: Apache-2.0

/// The entries of all users, and their next due times.
package struct Schedule: ~Copyable {
    /// How late a slot may fire, in microseconds, without being missed, if the clock changed around it.
    package static let tolerance: Int64 = 1_000_000

    /// The same for an entry that wakes the machine, which resumes some seconds after the slot.
    package static let wakeTolerance: Int64 = 30_000_000

    /// The longest time in microseconds by which a clock is usually set back: within it, no entry repeats slots.
    package static let longestSetBack: Int64 = 86_400_000_000

    package struct Item: Sendable, Hashable {
        package var user: UInt32
        package var entry: ScheduleEntry
        package var added: Int64
        /// The time of the last slot that is over: earlier slots never fire, even if the clock is set back.
        package var after: Int64
        package var fired: Int
        /// The state before ``returnToPresent(at:)``; `nil` if the clock has come back to it since.
        package var former: Former?
        /// The next slot; `nil` if there is none, or while the rules of the zone are unknown.
        package fileprivate(set) var next: Int64?

        package init(user: UInt32, entry: ScheduleEntry, added: Int64, after: Int64, fired: Int) {
            self.user = user
            self.entry = entry
            self.added = added
            self.after = after
            self.fired = fired
        }

        /// Creates the item of an entry that is added now: only the time of a single firing may be over already.
        package init(user: UInt32, entry: ScheduleEntry, addedAt now: Int64) {
            let now = Schedule.bounded(now)
            let start = entry.isSingle ? min(now, entry.at ?? now) : now
            self.init(user: user, entry: entry, added: now, after: start - 1, fired: 0)
        }
    }

    /// The state of an item before the clock was set back.
    package struct Former: Sendable, Hashable {
        package var added: Int64
        package var after: Int64

        package init(added: Int64, after: Int64) {
            self.added = added
            self.after = after
        }
    }

    /// An entry whose time has come.
    package struct Due: Sendable, Hashable {
        package var item: Item
        /// The number of slots that fire now; 0 if all were left out.
        package var firings: Int
        /// The item as it is afterward; `nil` if no slot is left.
        package var rest: Item?
    }

    private var items: [Item?] = []
    private var free: [Int32] = []
    /// The items by user, and by the bytes of the identifier: equal strings can differ in their Unicode normalization.
    private var slots: [UInt32: [[UInt8]: Int32]] = [:]
    private var queue = PaceQueue()
    /// The items of ``queue`` for which the machine is to wake.
    private var wakes = PaceQueue()
    private var zones: [String: TimeZoneRules] = [:]

    package init() {}

    package var isEmpty: Bool { slots.isEmpty }

    /// The time of the next slot of any entry; `nil` if none is due.
    package var next: Int64? { queue.next.map { Int64($0) } }

    /// The time of the next slot for which the machine is to wake; `nil` if there is none.
    package var nextWake: Int64? { wakes.next.map { Int64($0) } }

    /// The users whose entries can wake the machine.
    package var wakingUsers: Set<UInt32> = [] {
        didSet {
            guard wakingUsers != oldValue else { return }
            for slot in items.indices {
                leave(Int32(slot))
                wait(Int32(slot))
            }
        }
    }

    package var all: [Item] { slots.keys.sorted().flatMap { items(of: $0) } }

    /// Returns the items of a user, by identifier.
    package func items(of user: UInt32) -> [Item] {
        (slots[user] ?? [:]).sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { items[Int($0.value)] }
    }

    package func count(of user: UInt32) -> Int { slots[user]?.count ?? 0 }

    /// Returns a user's item; `nil` if there is none with the identifier.
    package func item(_ id: String, of user: UInt32) -> Item? {
        slots[user]?[Array(id.utf8)].flatMap { items[Int($0)] }
    }

    /// Adds an item in place of one of the same user with the same identifier, and returns it with its next slot.
    @discardableResult
    package mutating func add(_ item: Item) -> Item {
        var item = item
        item.next = next(of: item, after: item.after)
        let slot: Int32
        let id = Array(item.entry.id.utf8)
        if let known = slots[item.user]?[id] {
            slot = known
            leave(slot)
        } else {
            slot = free.popLast() ?? Int32(items.count)
            if slot == items.count { items.append(nil) }
            slots[item.user, default: [:]][id] = slot
        }
        items[Int(slot)] = item
        wait(slot)
        return item
    }

    @discardableResult
    package mutating func remove(_ id: String, of user: UInt32) -> Item? {
        guard let slot = slots[user]?.removeValue(forKey: Array(id.utf8)) else { return nil }
        if slots[user]?.isEmpty == true { slots[user] = nil }
        leave(slot)
        free.append(slot)
        defer { items[Int(slot)] = nil }
        return items[Int(slot)]
    }

    package func knows(zone: String) -> Bool { zones[zone] != nil }

    package mutating func forgetZones() { zones = [:] }

    /// Sets the rules of a zone, or forgets them.
    ///
    /// Entries whose calendar follows the zone continue from now: changing the zone moves local time, and skipped local
    /// times count as not elapsed. Entries whose zone was unknown continue from where they were.
    package mutating func set(_ rules: TimeZoneRules?, for zone: String, at now: Int64) {
        let now = Self.bounded(now)
        let wasKnown = zones[zone] != nil
        zones[zone] = rules
        for slot in items.indices {
            guard let item = items[slot], item.entry.slotZone == zone else { continue }
            leave(Int32(slot))
            var changed = item
            if wasKnown, rules != nil { changed.after = max(item.after, now) }
            changed.next = next(of: changed, after: changed.after)
            items[slot] = changed
            wait(Int32(slot))
        }
    }

    /// Restarts from now, and returns, entries whose last slot is more than ``longestSetBack`` ahead.
    ///
    /// They fired while the clock was wrong, and would otherwise not fire before it shows that time again. If the
    /// present time is wrong instead, as on a machine that starts without a clock, the entries resume their former
    /// state when the clock is right again. So the slots up to then do not fire again.
    package mutating func returnToPresent(at now: Int64) -> [Item] {
        let now = Self.bounded(now)
        let latest = now + Self.longestSetBack
        var changed: [Item] = []
        for case var item? in items where !item.entry.isSingle {
            // Up to a day ahead is a usual state: the entry waits until that time has passed.
            if let former = item.former, max(former.added, former.after) <= latest {
                item.after = max(item.after, former.after)
                item.added = former.added
                item.former = nil
            } else if item.after > latest || item.added > latest {
                item.former = item.former ?? Former(added: item.added, after: item.after)
                if item.after > latest { item.after = now }
                // Without a start of its own, an interval counts from the time when the entry was added.
                if item.added > latest { item.added = now }
            } else {
                continue
            }
            changed.append(add(item))
        }
        return changed
    }

    /// Takes an entry whose time has come off the queue, and puts it back with its next slot; `nil` if nothing is due.
    ///
    /// Slots were missed if they are earlier by more than ``tolerance`` than `start`, when the bus was started, the
    /// machine resumed or its clock was set.
    package mutating func takeDue(at now: Int64, awakeSince start: Int64) -> Due? {
        let now = Self.bounded(now)
        guard let slot = queue.popDue(at: UInt64(now)), let item = items[Int(slot)] else { return nil }
        wakes.remove(slot)
        let firings = firings(of: item, at: now, awakeSince: start)
        var rest = item
        rest.after = now
        rest.fired += firings
        rest.next = next(of: rest, after: now)
        if rest.next == nil {
            remove(item.entry.id, of: item.user)
            return Due(item: item, firings: firings, rest: nil)
        }
        items[Int(slot)] = rest
        wait(slot)
        return Due(item: item, firings: firings, rest: rest)
    }

    private func firings(of item: Item, at now: Int64, awakeSince start: Int64) -> Int {
        var after = item.after
        let lateness = item.entry.ifMissed == .skip ? 0 : item.entry.grace.map { $0 * 1_000 } ?? .max
        // A single time that had passed when the entry was added is due at once, not missed.
        let isOverdue = item.entry.isSingle && item.entry.at ?? 0 <= item.added
        if lateness < .max, !isOverdue {
            // A slot may fire this much later than planned without having been missed.
            after = max(
                after,
                Self.bounded(start) - max(lateness, item.entry.wake == true ? Self.wakeTolerance : Self.tolerance) - 1)
        }
        return slots(of: item)?.count(after: after, through: now) ?? 0
    }

    /// Returns the nearest time that a slot can have; a clock can be set to any.
    private static func bounded(_ time: Int64) -> Int64 { min(max(0, time), ScheduleEntry.lastTime) }

    private func next(of item: Item, after time: Int64) -> Int64? { slots(of: item)?.next(after: time) }

    private func slots(of item: Item) -> ScheduleSlots? {
        guard let zone = item.entry.slotZone else {
            return ScheduleSlots(entry: item.entry, origin: item.added, zone: .utc)
        }
        return zones[zone].map { ScheduleSlots(entry: item.entry, origin: item.added, zone: $0) }
    }

    private mutating func wait(_ slot: Int32) {
        guard let item = items[Int(slot)], let next = item.next else { return }
        queue.insert(slot, due: UInt64(max(0, next)))
        if item.entry.wake == true, wakingUsers.contains(item.user) { wakes.insert(slot, due: UInt64(max(0, next))) }
    }

    private mutating func leave(_ slot: Int32) {
        queue.remove(slot)
        wakes.remove(slot)
    }
}
