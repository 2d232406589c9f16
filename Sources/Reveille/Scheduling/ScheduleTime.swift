// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore

/// The times at which an entry of the schedule fires.
@nonexhaustive public enum ScheduleTime: Sendable, Hashable {
    /// Once: five minutes from now are `.at(.now + .seconds(300))`. A time that has passed is due at once.
    case at(Timestamp)
    /// At intervals of at least a second, by default beginning one interval from now.
    case every(Duration, from: Timestamp? = nil)
    /// Whenever parts of the calendar match, on the clock of a zone of the tz database, such as `Europe/Berlin`.
    ///
    /// Without a zone, or with `local`, it is the device's zone, even after that changes.
    case calendar(CalendarRule, zone: String? = nil, from: Timestamp? = nil)
}

extension ScheduleTime {
    /// Each day at a time of day.
    public static func daily(hour: Int, minute: Int = 0, zone: String? = nil) -> ScheduleTime {
        .calendar(CalendarRule(hour: hour, minute: minute), zone: zone)
    }

    /// Each week on some days, at a time of day; without a day, it is refused.
    ///
    /// `.weekly([.monday, .friday], hour: 7)` is 07:00 on two days.
    public static func weekly(
        _ weekdays: Set<Weekday>, hour: Int, minute: Int = 0, zone: String? = nil
    ) -> ScheduleTime {
        .calendar(CalendarRule(weekdays: weekdays, hour: hour, minute: minute), zone: zone)
    }
}

/// The treatment of firings whose time passed while the device was off or asleep, or its clock was set.
@nonexhaustive public enum MissedFirings: Sendable, Hashable {
    /// They fire at once, and each counts as a change.
    case fire
    /// They are skipped.
    case skip
    /// A treatment that a later version of the bus has added; in a request, the default.
    case unknown
}
