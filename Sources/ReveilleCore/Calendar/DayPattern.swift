// SPDX-License-Identifier: Apache-2.0

/// Days that match a month, a day of the month and a weekday, as numbers since 1970-01-01.
struct DayPattern: Sendable, Hashable {
    /// The days in which dates are compared: the years 1 to 9999.
    static let range = CivilDate(1, 1, 1).dayNumber...CivilDate(9999, 12, 31).dayNumber

    /// The month; `nil` for any.
    var month: Int?
    /// The day of the month, or -1 for the last; `nil` for any.
    var day: Int?
    /// The weekdays; `nil` for any.
    var weekdays: [Int]?

    func contains(_ dayNumber: Int) -> Bool {
        next(from: dayNumber, before: dayNumber + 1) != nil
    }

    /// Returns the first matching day from a given day on; `nil` if there is none up to the year 9999.
    func next(from dayNumber: Int) -> Int? {
        // If no such day exists before the calendar repeats, none exists at all.
        next(from: dayNumber, before: min(dayNumber + CivilDate.cycle, Self.range.upperBound + 1))
    }

    private func next(from start: Int, before end: Int) -> Int? {
        for span in months(from: start, before: end) {
            if let first = first(in: span.days, of: span.month) { return first }
        }
        return nil
    }

    func count(in days: Range<Int>) -> Int {
        guard month != nil || day != nil else {
            // This does not visit each month.
            return count(ofWeekdaysIn: days)
        }
        return months(from: days.lowerBound, before: days.upperBound).reduce(0) { count, span in
            guard let first = first(in: span.days, of: span.month) else { return count }
            return count + (day == nil ? self.count(ofWeekdaysIn: first..<span.days.upperBound) : 1)
        }
    }

    private func count(ofWeekdaysIn days: Range<Int>) -> Int {
        guard let weekdays else { return days.count }
        return weekdays.reduce(0) { count, weekday in
            let until = Self.days(from: days.lowerBound, until: weekday)
            return count + (days.count > until ? (days.count - until - 1) / 7 + 1 : 0)
        }
    }

    private static func days(from dayNumber: Int, until weekday: Int) -> Int {
        (weekday - CivilDate.weekday(ofDayNumber: dayNumber)).dividedDown(by: 7).remainder
    }

    private func first(in days: Range<Int>, of month: Range<Int>) -> Int? {
        if let day {
            let dayNumber = day > 0 ? month.lowerBound + day - 1 : month.upperBound - 1
            guard days.contains(dayNumber) else { return nil }
            return weekdays?.contains(CivilDate.weekday(ofDayNumber: dayNumber)) ?? true ? dayNumber : nil
        }
        guard let weekdays else { return days.lowerBound }
        guard let until = weekdays.map({ Self.days(from: days.lowerBound, until: $0) }).min() else { return nil }
        return until < days.count ? days.lowerBound + until : nil
    }

    /// The matching months between two days, each with its days in this range.
    private func months(
        from start: Int, before end: Int
    ) -> some Sequence<(month: Range<Int>, days: Range<Int>)> {
        let date = CivilDate(dayNumber: start)
        // Months are counted from year 0; with a month given, only one a year is visited.
        let current = date.year * 12 + date.month - 1
        let ahead = month.map { ($0 - date.month).dividedDown(by: 12).remainder } ?? 0
        return sequence(state: current + ahead) { (position: inout Int) -> (month: Range<Int>, days: Range<Int>)? in
            let (year, index) = position.dividedDown(by: 12)
            let first = CivilDate(year, index + 1, 1).dayNumber
            guard first < end else { return nil }
            position += month == nil ? 1 : 12
            let whole = first..<first + CivilDate.monthLength(year, index + 1)
            return (whole, max(first, start)..<min(whole.upperBound, end))
        }
    }
}

/// Times of day that match an hour, a minute and a second, as seconds since midnight.
struct TimePattern: Sendable, Hashable {
    /// The hour; `nil` for any.
    var hour: Int?
    /// The minute; `nil` for any.
    var minute: Int?
    var second: Int

    var count: Int { (hour == nil ? 24 : 1) * hourCount }

    private var hourCount: Int { minute == nil ? 60 : 1 }

    var first: Int { (hour ?? 0) * 3_600 + firstInHour }

    private var firstInHour: Int { (minute ?? 0) * 60 + second }

    /// Returns the first time from a time on; `nil` if there is none in the rest of the day.
    func next(from time: Int) -> Int? {
        let (current, rest) = time.quotientAndRemainder(dividingBy: 3_600)
        let hour = hour ?? current
        guard hour >= current else { return nil }
        guard hour == current else { return hour * 3_600 + firstInHour }
        if let next = nextInHour(from: rest) { return hour * 3_600 + next }
        return self.hour == nil && hour < 23 ? (hour + 1) * 3_600 + firstInHour : nil
    }

    private func nextInHour(from rest: Int) -> Int? {
        let (current, seconds) = rest.quotientAndRemainder(dividingBy: 60)
        let next = (minute ?? (second >= seconds ? current : current + 1)) * 60 + second
        return next >= rest && next < 3_600 ? next : nil
    }

    func count(through time: Int) -> Int {
        let (current, rest) = time.quotientAndRemainder(dividingBy: 3_600)
        guard hour == nil || hour == current else { return current > hour ?? 0 ? hourCount : 0 }
        let (minutes, seconds) = rest.quotientAndRemainder(dividingBy: 60)
        let earlier = hour == nil ? current * hourCount : 0
        guard let minute else { return earlier + minutes + (second <= seconds ? 1 : 0) }
        return earlier + (minute * 60 + second <= rest ? 1 : 0)
    }
}
