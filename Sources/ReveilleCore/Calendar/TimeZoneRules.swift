// SPDX-License-Identifier: Apache-2.0

/// The offsets of a time zone's clocks from UTC, at any time.
///
/// All times are in seconds since 1970-01-01 00:00:00 UTC, without leap seconds. A *wall time* is the time that the
/// zone's clocks show, as the number of seconds since they showed 1970-01-01 00:00:00.
package struct TimeZoneRules: Sendable, Hashable {
    /// The possible offsets in seconds, as RFC 8536 recommends them.
    static let offsets = -89_999...93_599
    /// The longest time between two moments with the same wall time.
    static let longestShift = offsets.upperBound - offsets.lowerBound
    /// The number of seconds before and after 1970 during which offsets change: 34,000 years.
    static let horizon = 1 << 40

    package static let utc = TimeZoneRules(initialOffset: 0)

    /// The times when the offset changes, in ascending order.
    private var transitions: [Int] = []
    /// The offset before the first transition, and the offset from each transition on.
    private var offsets: [Int32]
    /// The rule that replaces the table.
    private var footer: TimeZoneFooter?
    /// The time from which the footer counts.
    private var footerStart = Int.min

    init(initialOffset: Int) {
        offsets = [Int32(initialOffset)]
    }

    /// Adds a change of the offset, later than the previous ones.
    mutating func change(to offset: Int, at time: Int) {
        guard offset != Int(offsets[offsets.count - 1]) else { return }
        transitions.append(time)
        offsets.append(Int32(offset))
    }

    /// Continues with a footer, which replaces the offset from the last time of the table on; `nil` for an empty table.
    mutating func `continue`(with footer: TimeZoneFooter, from time: Int?) {
        if let time {
            if transitions.last == time {
                transitions.removeLast()
                offsets.removeLast()
            }
            change(to: footer.offset(at: time), at: time)
        }
        self.footer = footer
        footerStart = time ?? Int.min
    }

    /// Returns how many seconds clocks are ahead of UTC at a time.
    package func offset(at time: Int) -> Int {
        if let footer, time >= footerStart { return footer.offset(at: time) }
        return Int(offsets[transitionCount(through: time)])
    }

    /// Returns the time of the next change of the offset; `nil` if the offset never changes again.
    package func transition(after time: Int) -> Int? {
        let index = transitionCount(through: time)
        return index < transitions.count ? transitions[index] : footer?.transition(after: max(time, footerStart))
    }

    private func transitionCount(through time: Int) -> Int {
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension TimeZoneRules {
    func wallTime(at time: Int) -> Int {
        time + offset(at: time)
    }

    /// Returns the latest wall time that clocks have shown up to a time; later than the current one in an overlap.
    func latestWallTime(through time: Int) -> Int {
        var latest = wallTime(at: time)
        var start = time - Self.longestShift
        while let transition = transition(after: start), transition <= time {
            latest = max(latest, wallTime(at: transition - 1))
            start = transition
        }
        return latest
    }

    /// Returns the first time when clocks show a wall time or a later wall time.
    ///
    /// This is the first occurrence of the wall time or, if a gap skips it, the first moment after the gap.
    func firstTime(atWallTime wallTime: Int) -> Int {
        var start = wallTime - Self.offsets.upperBound
        while true {
            let time = max(start, wallTime - offset(at: start))
            guard let end = transition(after: start), time >= end else { return time }
            start = end
        }
    }
}
