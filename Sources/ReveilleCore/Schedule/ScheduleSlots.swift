// SPDX-License-Identifier: Apache-2.0

/// The times when an entry is due, in microseconds since 1970, whenever they are computed: a late firing moves none.
struct ScheduleSlots {
    let entry: ScheduleEntry
    /// The time when the entry was added; an interval without a start counts from here.
    let origin: Int64
    /// The rules of the entry's zone; without a calendar, any rules will do.
    let zone: TimeZoneRules

    /// Returns the first slot after a time; `nil` if there is none.
    func next(after time: Int64) -> Int64? {
        let slot: Int64?
        if let every = entry.every {
            let step = every * 1_000
            let base = base(step)
            slot = time < base ? base : base + (Int64((time - base) / step) + 1) * step
        } else if let calendar = entry.calendar {
            slot = calendar.next(after: start(time), in: zone)?.microseconds
        } else {
            slot = entry.at.flatMap { $0 > time ? $0 : nil }
        }
        return slot.flatMap { $0 <= last ? $0 : nil }
    }

    /// Returns the number of slots after a time, through another, however many: a clock can jump by a century.
    func count(after start: Int64, through end: Int64) -> Int {
        let end = min(end, last)
        guard start < end else { return 0 }
        if let every = entry.every {
            let step = every * 1_000
            let base = base(step)
            let passed = { (time: Int64) in time < base ? 0 : (time - base) / step + 1 }
            return Int(passed(end) - passed(start))
        }
        if let calendar = entry.calendar {
            return calendar.count(after: self.start(start), through: Timestamp(microseconds: end), in: zone)
        }
        return entry.at.map { $0 > start && $0 <= end } == true ? 1 : 0
    }

    /// The first slot of an interval.
    private func base(_ step: Int64) -> Int64 { entry.at ?? min(origin, ScheduleEntry.lastTime) + step }

    private var last: Int64 { min(entry.until ?? .max, ScheduleEntry.lastTime) }

    /// Returns a time before which the calendar has no slot, not earlier than another time.
    private func start(_ time: Int64) -> Timestamp { Timestamp(microseconds: max(time, (entry.at ?? 0) - 1)) }
}
