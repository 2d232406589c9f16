// SPDX-License-Identifier: Apache-2.0

/// The timers of a loop that are set, in the order of their times, in microseconds since boot.
struct TimerQueue {
    private struct Entry {
        let time: UInt64
        let order: UInt64
        /// The time at which the timer fires at the latest; it shares a wake-up with others until then.
        let latest: UInt64
        let source: DueSource
    }

    private var entries: [Entry] = []
    private var lastOrder: UInt64 = 0
    /// The time to which the clock is set; the maximum is never.
    private var setting = UInt64.max
    /// Whether another timer may be the next one.
    private(set) var hasChanged = false

    /// Sets a timer, in place of an earlier setting; the maximum is never.
    mutating func set(_ source: DueSource, at time: UInt64, accuracy: UInt64) {
        remove(source)
        guard time != .max else { return }
        lastOrder += 1
        (source.time, source.order) = (time, lastOrder)
        let latest = EventLoop.moment(in: accuracy, from: time)
        entries.insert(
            Entry(time: time, order: lastOrder, latest: latest, source: source), at: place(of: source))
        hasChanged = true
    }

    mutating func remove(_ source: DueSource) {
        guard source.time != .max else { return }
        entries.remove(at: place(of: source))
        source.time = .max
        hasChanged = true
    }

    /// Takes the first timer if its time has come.
    mutating func takeFirst(at now: UInt64) -> DueSource? {
        guard let first = entries.first, first.time <= now else { return nil }
        entries.removeFirst()
        first.source.time = .max
        hasChanged = true
        return first.source
    }

    /// Returns the time to set the clock to, the maximum for never; `nil` if it is set to that already.
    mutating func nextSetting() -> UInt64? {
        hasChanged = false
        var next = UInt64.max
        for entry in entries {
            guard entry.time < next else { break }
            next = min(next, entry.latest)
        }
        guard next != setting else { return nil }
        setting = next
        return next
    }

    /// The index of a timer, or where it belongs: most timers are set to a later time than all others.
    private func place(of source: DueSource) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            let entry = entries[middle]
            if (entry.time, entry.order) < (source.time, source.order) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
