// SPDX-License-Identifier: Apache-2.0

extension CalendarRule {
    /// Returns the first slot after a moment; `nil` if there is none up to the year 9999.
    package func next(after moment: Timestamp, in zone: TimeZoneRules) -> Timestamp? {
        let time = Self.seconds(moment)
        let slot = hasRealHours ? nextShown(after: time, in: zone) : nextReached(after: time, in: zone)
        return slot.map { Timestamp(microseconds: Int64($0) * 1_000_000) }
    }

    /// Returns the number of slots after a moment, up to another, in a time that grows with the years, not the slots.
    package func count(after start: Timestamp, through end: Timestamp, in zone: TimeZoneRules) -> Int {
        let (start, end) = (Self.seconds(start), Self.seconds(end))
        guard start < end else { return 0 }
        return hasRealHours ? countShown(start, end, in: zone) : countReached(start, end, in: zone)
    }

    /// Returns whole seconds, limited to the years of the calendar in all zones.
    private static func seconds(_ moment: Timestamp) -> Int {
        let seconds = Int(moment.microseconds).dividedDown(by: 1_000_000).quotient
        let first = DayPattern.range.lowerBound * CivilDate.daySeconds - TimeZoneRules.longestShift
        let last = (DayPattern.range.upperBound + 1) * CivilDate.daySeconds + TimeZoneRules.longestShift
        return min(max(seconds, first), last)
    }

    // MARK: - Hours of the clock

    private func nextReached(after time: Int, in zone: TimeZoneRules) -> Int? {
        nextMatch(from: zone.latestWallTime(through: time) + 1).map(zone.firstTime(atWallTime:))
    }

    private func countReached(_ start: Int, _ end: Int, in zone: TimeZoneRules) -> Int {
        var count = 0
        var latest = zone.latestWallTime(through: start)
        var time = start
        func reach(_ wallTime: Int, limit: Int = .max) {
            count += min(matchCount(after: latest, through: wallTime), limit)
            latest = max(latest, wallTime)
        }
        while let transition = zone.transition(after: time), transition <= end {
            reach(zone.wallTime(at: transition - 1))
            // All times in a gap, together with the time at its end, are one slot.
            reach(zone.wallTime(at: transition), limit: 1)
            time = transition
        }
        reach(zone.wallTime(at: end))
        return count
    }

    // MARK: - Real hours

    private func nextShown(after time: Int, in zone: TimeZoneRules) -> Int? {
        var time = time + 1
        // The wall times up to a match, so that the same months are not searched again in each half of a year.
        var known = 0..<0
        while true {
            let offset = zone.offset(at: time)
            let wallTime = time + offset
            if !known.contains(wallTime) {
                guard let match = nextMatch(from: wallTime) else { return nil }
                known = wallTime..<match + 1
            }
            let slot = known.upperBound - 1 - offset
            guard let end = zone.transition(after: time), slot >= end else { return slot }
            time = end
        }
    }

    private func countShown(_ start: Int, _ end: Int, in zone: TimeZoneRules) -> Int {
        var count = 0
        var time = start + 1
        while time <= end {
            let next = min(zone.transition(after: time) ?? .max, end + 1)
            let offset = zone.offset(at: time)
            count += matchCount(after: time + offset - 1, through: next + offset - 1)
            time = next
        }
        return count
    }

    // MARK: - Wall times

    /// Returns the first wall time that matches, from a wall time on.
    private func nextMatch(from wallTime: Int) -> Int? {
        let times = times
        let (day, time) = max(wallTime, DayPattern.range.lowerBound * CivilDate.daySeconds)
            .dividedDown(by: CivilDate.daySeconds)
        let days = days
        guard let first = days.next(from: day) else { return nil }
        if first > day { return first * CivilDate.daySeconds + times.first }
        if let next = times.next(from: time) { return day * CivilDate.daySeconds + next }
        return days.next(from: day + 1).map { $0 * CivilDate.daySeconds + times.first }
    }

    /// Returns the number of matching wall times after a wall time, up to another.
    private func matchCount(after start: Int, through end: Int) -> Int {
        let least = DayPattern.range.lowerBound * CivilDate.daySeconds - 1
        let most = (DayPattern.range.upperBound + 1) * CivilDate.daySeconds - 1
        let (start, end) = (max(start, least), min(end, most))
        guard start < end else { return 0 }
        let (days, times) = (days, times)
        let (firstDay, firstTime) = start.dividedDown(by: CivilDate.daySeconds)
        let (lastDay, lastTime) = end.dividedDown(by: CivilDate.daySeconds)
        let whole = days.count(in: firstDay..<lastDay) * times.count
        let before = days.contains(firstDay) ? times.count(through: firstTime) : 0
        return whole - before + (days.contains(lastDay) ? times.count(through: lastTime) : 0)
    }
}
