// SPDX-License-Identifier: Apache-2.0

/// Days that match a month, a day of the month and a weekday, as numbers since 1970-01-01.
struct DayPattern: Sendable, Hashable {
    /// The days in which dates are compared: the years 1 to 9999.
    static let range = CivilDate(1, 1, 1).dayNumber...CivilDate(9999, 12, 31).dayNumber

    /// The month; `nil` for any.
    var month: Int?
    /// The day of the month, or -1 for the last; `nil` for any.
    var day: Int?
    /// The weekday; `nil` for any.
    var weekday: Int?

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
        guard let weekday else { return days.count }
        let until = (weekday - CivilDate.weekday(ofDayNumber: days.lowerBound)).dividedDown(by: 7).remainder
        return days.count > until ? (days.count - until - 1) / 7 + 1 : 0
    }

    /// Returns the first matching day in a part of a month.
    private func first(in days: Range<Int>, of month: Range<Int>) -> Int? {
        if let day {
            let dayNumber = day > 0 ? month.lowerBound + day - 1 : month.upperBound - 1
            guard days.contains(dayNumber) else { return nil }
            return weekday == nil || weekday == CivilDate.weekday(ofDayNumber: dayNumber) ? dayNumber : nil
        }
        guard let weekday else { return days.lowerBound }
        let until = (weekday - CivilDate.weekday(ofDayNumber: days.lowerBound)).dividedDown(by: 7).remainder
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
