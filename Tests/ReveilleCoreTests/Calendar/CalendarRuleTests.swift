// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore

/// Wall times as in the interface, `2026-03-29 02:30:00`, in zones whose rules are given here.
@Suite struct CalendarRuleTests {
    private static let berlin = zone(footer: "CET-1CEST,M3.5.0,M10.5.0/3")
    private static let lordHowe = zone(footer: "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0")
    private static let beirut = zone(footer: "EET-2EEST,M3.5.0/0,M10.5.0/0")
    /// The 30th of December 2011 was skipped.
    private static let samoa = TimeZoneRules(changes: [(1_325_239_200, 50_400)], initial: -36_000)

    private static func zone(footer: String) -> TimeZoneRules {
        // An invalid footer is seen in every test.
        (try? TimeZoneRules(tzif: TZifFile(footer: footer).bytes)) ?? .utc
    }

    /// Returns a moment, given as a wall time of a zone.
    private static func moment(_ text: String, offset: Int) throws -> Timestamp {
        let seconds = try #require(XMLDate.seconds(text.replacing(" ", with: "T") + "Z"))
        return Timestamp(microseconds: (Int64(seconds) + 978_307_200 - Int64(offset)) * 1_000_000)
    }

    /// Returns the slots after a moment of UTC, as wall times with their offset in minutes.
    private static func slots(
        _ rule: CalendarRule, after start: String, in zone: TimeZoneRules, count: Int = 3
    ) throws -> [String] {
        let start = try moment(start, offset: 0)
        var last = start
        var slots: [String] = []
        while slots.count < count, let next = rule.next(after: last, in: zone) {
            slots.append(text(next, zone))
            last = next
        }
        #expect(rule.count(after: start, through: last, in: zone) == slots.count)
        return slots
    }

    private static func text(_ moment: Timestamp, _ zone: TimeZoneRules) -> String {
        let time = Int(moment.microseconds / 1_000_000)
        let (day, seconds) = zone.wallTime(at: time).dividedDown(by: 86_400)
        let date = CivilDate(dayNumber: day)
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let clock = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map(two).joined(separator: ":")
        return "\(date.year)-\(two(date.month))-\(two(date.day)) \(clock) \(zone.offset(at: time) / 60)"
    }

    @Test("B123 a daily 02:30 comes at the end of the gap, and the first time in the overlap")
    func dailyTimesAcrossBoth() throws {
        let rule = CalendarRule(hour: 2, minute: 30)
        #expect(
            try Self.slots(rule, after: "2026-03-28 00:00:00", in: Self.berlin)
                == ["2026-03-28 02:30:00 60", "2026-03-29 03:00:00 120", "2026-03-30 02:30:00 120"])
        #expect(
            try Self.slots(rule, after: "2026-10-24 12:00:00", in: Self.berlin)
                == ["2026-10-25 02:30:00 120", "2026-10-26 02:30:00 60", "2026-10-27 02:30:00 60"])
        #expect(
            try Self.slots(CalendarRule(hour: 2, minute: 15), after: "2026-10-02 00:00:00", in: Self.lordHowe)
                == ["2026-10-03 02:15:00 630", "2026-10-04 02:30:00 660", "2026-10-05 02:15:00 660"])
        #expect(
            try Self.slots(CalendarRule(hour: 0), after: "2026-03-27 12:00:00", in: Self.beirut)
                == ["2026-03-28 00:00:00 120", "2026-03-29 01:00:00 180", "2026-03-30 00:00:00 180"])
    }

    @Test("B123 hourly slots are real hours across gap and overlap") func hourlySlotsAreRealHours() throws {
        let rule = CalendarRule(minute: 30)
        #expect(
            try Self.slots(rule, after: "2026-03-29 00:00:00", in: Self.berlin)
                == ["2026-03-29 01:30:00 60", "2026-03-29 03:30:00 120", "2026-03-29 04:30:00 120"])
        #expect(
            try Self.slots(rule, after: "2026-10-25 00:00:00", in: Self.berlin)
                == ["2026-10-25 02:30:00 120", "2026-10-25 02:30:00 60", "2026-10-25 03:30:00 60"])
        // Half an hour: the clocks show 02:30 at the end of the gap, and 01:30 twice.
        #expect(
            try Self.slots(rule, after: "2026-10-03 15:00:00", in: Self.lordHowe)
                == ["2026-10-04 02:30:00 660", "2026-10-04 03:30:00 660", "2026-10-04 04:30:00 660"])
        #expect(
            try Self.slots(rule, after: "2026-04-04 14:00:00", in: Self.lordHowe)
                == ["2026-04-05 01:30:00 660", "2026-04-05 01:30:00 630", "2026-04-05 02:30:00 630"])
        #expect(
            try Self.slots(CalendarRule(minute: 0), after: "2026-10-03 14:00:00", in: Self.lordHowe)
                == ["2026-10-04 01:00:00 630", "2026-10-04 03:00:00 660", "2026-10-04 04:00:00 660"])
    }

    @Test("all times in a gap and the time at its end are one slot") func gapIsOneSlot() throws {
        let rule = CalendarRule(hour: 2, second: 0)
        #expect(
            try Self.slots(rule, after: "2026-03-29 00:00:00", in: Self.berlin, count: 2)
                == ["2026-03-29 03:00:00 120", "2026-03-30 02:00:00 120"])
        let daily = CalendarRule(hour: 0)
        #expect(
            try Self.slots(daily, after: "2011-12-29 09:00:00", in: Self.samoa)
                == ["2011-12-29 00:00:00 -600", "2011-12-31 00:00:00 840", "2012-01-01 00:00:00 840"])
        #expect(
            try Self.slots(CalendarRule(hour: 7), after: "2011-12-29 09:00:00", in: Self.samoa)
                == ["2011-12-29 07:00:00 -600", "2011-12-31 00:00:00 840", "2011-12-31 07:00:00 840"])
    }

    @Test("B129 months without the day are passed over, and day -1 is the last") func shortMonthsArePassedOver() throws
    {
        func dates(_ rule: CalendarRule, _ count: Int) throws -> [String] {
            try Self.slots(rule, after: "2027-01-15 00:00:00", in: .utc, count: count).map { String($0.prefix(10)) }
        }
        #expect(try dates(CalendarRule(day: 31), 3) == ["2027-01-31", "2027-03-31", "2027-05-31"])
        #expect(try dates(CalendarRule(day: -1), 3) == ["2027-01-31", "2027-02-28", "2027-03-31"])
        #expect(try dates(CalendarRule(month: 2, day: 29), 3) == ["2028-02-29", "2032-02-29", "2036-02-29"])
        #expect(try dates(CalendarRule(month: 2, day: -1, weekdays: [.tuesday]), 2) == ["2028-02-29", "2034-02-28"])
        #expect(try dates(CalendarRule(month: 2, day: 29, weekdays: [.monday]), 2) == ["2044-02-29", "2072-02-29"])
        #expect(try dates(CalendarRule(month: 2, day: 30), 1) == [])
        #expect(try dates(CalendarRule(month: 4, day: 31, minute: 5), 1) == [])
    }

    @Test("a part that is out of its range is named, and at least one is needed") func partsAreChecked() {
        #expect("\(CalendarRule(hour: 24).fault, default: "")" == "hour must be 0 to 23, not 24")
        #expect("\(CalendarRule(day: 0).fault, default: "")" == "day must be 1 to 31, or -1, not 0")
        for rule in [CalendarRule(month: .max), CalendarRule(second: 60), CalendarRule(day: -2)] {
            #expect(rule.fault != nil)
        }
        #expect(CalendarRule().fault == .empty)
        #expect(CalendarRule(weekdays: []).fault == .noWeekdays)
        #expect(CalendarRule(weekdays: [.monday], hour: 24).fault?.part == "hour")
        #expect(CalendarRule(weekdays: [.monday, .sunday]).fault == nil)
    }

    @Test("moments at the ends of their type have slots or none") func extremesAreHarmless() throws {
        let numbers: [Int64] = [.min, .min + 1, -1, 0, .max - 1, .max]
        let ends = numbers.map(Timestamp.init(microseconds:))
        for zone in [TimeZoneRules.utc, Self.berlin, Self.samoa] {
            for rule in [CalendarRule(second: 0), CalendarRule(hour: 2, minute: 30), CalendarRule(day: 31)] {
                for start in ends {
                    let next = rule.next(after: start, in: zone)
                    #expect((next == nil) == (start.microseconds > 1 << 60))
                    #expect(next ?? Timestamp(microseconds: .max) > start || start.microseconds == .max)
                    for end in ends { #expect(rule.count(after: start, through: end, in: zone) >= 0) }
                }
            }
        }
    }

    @Test("slots are counted by days, whatever their number") func slotsAreCountedByDays() throws {
        let everySecondMinute = CalendarRule(second: 0)
        let (start, end) = (
            try Self.moment("1970-01-01 00:00:00", offset: 0), try Self.moment("2100-01-01 00:00:00", offset: 0)
        )
        let minutes = Int(end.microseconds - start.microseconds) / 60_000_000
        for zone in [TimeZoneRules.utc, Self.berlin, Self.lordHowe] {
            #expect(everySecondMinute.count(after: start, through: end, in: zone) == minutes)
        }
        // In each year, one of the times between 02:00 and 03:00 is lost to the gap, and none is won by the overlap.
        #expect(CalendarRule(hour: 2, minute: 30).count(after: start, through: end, in: Self.berlin) == 47_482)
    }
}

extension TimeZoneRules {
    fileprivate init(changes: [(time: Int, offset: Int)], initial: Int) {
        self.init(initialOffset: initial)
        for change in changes { self.change(to: change.offset, at: change.time) }
    }
}
