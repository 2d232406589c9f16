// SPDX-License-Identifier: Apache-2.0

/// The rule for the times after the last transition of a TZif file: a `TZ` string of POSIX, such as
/// `CET-1CEST,M3.5.0,M10.5.0/3`, with the extensions of RFC 8536.
struct TimeZoneFooter: Sendable, Hashable {
    enum Day: Sendable, Hashable {
        /// `Jn`: from 1 to 365; the 29th of February is not counted.
        case withoutLeapDay(Int)
        /// `n`: from 0 to 365.
        case ofYear(Int)
        /// `Mm.w.d`: a weekday, from 0 for Sunday, in a week of a month; week 5 is the last that has the weekday.
        case ofMonth(Int, week: Int, weekday: Int)
    }

    struct Change: Sendable, Hashable {
        var day: Day
        /// The wall time before the change, in seconds since the start of the day; up to a week before or after it.
        var time = 7_200
    }

    struct Daylight: Sendable, Hashable {
        /// The offset in seconds.
        var offset: Int
        var start: Change
        var end: Change
    }

    /// The offset of standard time in seconds.
    var standard: Int
    var daylight: Daylight?

    /// The number of successive years in which both changes can coincide, and so have no effect.
    ///
    /// Sometimes they differ only in leap years, which are at most eight years apart.
    private static let longestPause = 9

    func offset(at time: Int) -> Int {
        guard let daylight else { return standard }
        let time = Self.clamped(time)
        let year = Self.year(at: time)
        // Changes may be up to a week away from the year of their day, so that a year can have none.
        for year in stride(from: year + 1, through: year - 2, by: -1) {
            let changes = changes(daylight, in: year)
            if changes.last.time <= time { return changes.last.offset }
            if changes.first.time <= time { return changes.first.offset }
        }
        return standard
    }

    /// Returns the time of the first change after a time; `nil` if there is none.
    func transition(after time: Int) -> Int? {
        guard let daylight, time < TimeZoneRules.horizon else { return nil }
        let time = Self.clamped(time)
        let year = Self.year(at: time)
        let offset = offset(at: time)
        var earlier = Int.max
        for year in year - 1...year + Self.longestPause {
            let changes = changes(daylight, in: year)
            for change in [changes.first.time, changes.last.time] where change > time {
                // A later year's change that is not later in time replaces the earlier year's change.
                if earlier < change, self.offset(at: earlier) != offset { return earlier }
                earlier = change
            }
        }
        return nil
    }

    private static func clamped(_ time: Int) -> Int {
        min(max(time, -TimeZoneRules.horizon), TimeZoneRules.horizon)
    }

    private static func year(at time: Int) -> Int {
        CivilDate(dayNumber: time.dividedDown(by: CivilDate.daySeconds).quotient).year
    }

    private typealias Shift = (time: Int, offset: Int)

    /// Returns the two changes of a year in their order.
    private func changes(_ daylight: Daylight, in year: Int) -> (first: Shift, last: Shift) {
        let start = (time: daylight.start.seconds(in: year) - standard, offset: daylight.offset)
        let end = (time: daylight.end.seconds(in: year) - daylight.offset, offset: standard)
        return start.time <= end.time ? (start, end) : (end, start)
    }
}

extension TimeZoneFooter.Change {
    fileprivate func seconds(in year: Int) -> Int {
        dayNumber(in: year) * CivilDate.daySeconds + time
    }

    private func dayNumber(in year: Int) -> Int {
        switch day {
        case .withoutLeapDay(let day):
            return CivilDate(year, 1, day + (CivilDate.isLeap(year) && day >= 60 ? 1 : 0)).dayNumber
        case .ofYear(let day): return CivilDate(year, 1, day + 1).dayNumber
        case .ofMonth(let month, let week, let weekday):
            let first = CivilDate(year, month, 1).dayNumber
            let until = (weekday + 7 - CivilDate.weekday(ofDayNumber: first) % 7) % 7
            let day = until + 7 * (week - 1)
            return first + (day < CivilDate.monthLength(year, month) ? day : day - 7)
        }
    }
}
