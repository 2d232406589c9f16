// SPDX-License-Identifier: Apache-2.0

/// A date of the Gregorian calendar, which is also used for the time before its introduction.
struct CivilDate: Sendable, Hashable {
    /// The number of days in 400 years, after which the calendar repeats, weekdays included.
    static let cycle = 146_097
    /// The number of seconds in a day of a clock that shows no leap seconds.
    static let daySeconds = 86_400

    /// The year; year 0 is the year before 1.
    var year: Int
    /// The month, from 1 to 12.
    var month: Int
    /// The day, from 1.
    var day: Int

    /// Creates a date; a day after the end of the month falls in a following month.
    init(_ year: Int, _ month: Int, _ day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Creates the date of a day, counted from 1970-01-01.
    init(dayNumber: Int) {
        let (cycle, dayOfCycle) = (dayNumber + Self.epoch).dividedDown(by: Self.cycle)
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let march = (5 * dayOfYear + 2) / 153
        month = march < 10 ? march + 3 : march - 9
        year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * march + 2) / 5 + 1
    }

    /// The number of days from 0000-03-01 to 1970-01-01, in years that begin in March and end with the leap day.
    private static let epoch = 719_468

    /// The number of days since 1970-01-01.
    var dayNumber: Int {
        let (cycle, yearOfCycle) = (month <= 2 ? year - 1 : year).dividedDown(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return cycle * Self.cycle + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear - Self.epoch
    }

    static func monthLength(_ year: Int, _ month: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// Returns the weekday of a day that is counted from 1970-01-01: 1 is Monday, 7 is Sunday.
    static func weekday(ofDayNumber dayNumber: Int) -> Int {
        (dayNumber + 3).dividedDown(by: 7).remainder + 1
    }
}

extension Int {
    /// Divides by a positive number; the quotient is rounded down, so that the remainder is not negative.
    func dividedDown(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
