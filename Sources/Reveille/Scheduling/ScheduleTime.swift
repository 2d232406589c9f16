// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore

/// The times at which an entry of the schedule fires.
@nonexhaustive public enum ScheduleTime: Sendable, Hashable {
    /// Once. A time that has passed is due at once.
    case at(Timestamp)
    /// Once, a duration after the call of ``Device/schedule(_:)``.
    case after(Duration)
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

    /// Each week on a day, at a time of day.
    public static func weekly(
        _ weekday: Weekday, hour: Int, minute: Int = 0, zone: String? = nil
    ) -> ScheduleTime {
        .calendar(CalendarRule(weekday: weekday.rawValue, hour: hour, minute: minute), zone: zone)
    }

    /// Each week on some days, at a time of day; without a day, it is refused.
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
