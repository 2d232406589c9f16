// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

public import ReveilleCore

/// The times at which an entry of the schedule fires.
public enum ScheduleTime: Sendable, Hashable {
    /// Once. A time that has passed is due at once.
    case at(Timestamp)
    /// At intervals of at least a second, by default beginning one interval from now.
    case every(Duration, from: Timestamp? = nil)
    /// Whenever parts of the calendar match, on the clock of a zone of the tz database, such as `Europe/Berlin`.
    ///
    /// Without a zone, or with `local`, it is the device's zone, also after a journey.
    case calendar(CalendarRule, zone: String? = nil, from: Timestamp? = nil)
}

/// What happens to firings whose time passed while the device was off or asleep, or its clock was set.
public enum MissedFirings: Sendable, Hashable {
    /// They fire at once, and each counts as a change.
    case fire
    /// They are left out.
    case skip
}

/// An entry of the schedule.
public struct ScheduledEntry: Sendable, Hashable {
    /// The name that this user gave the entry.
    public let id: String
    /// The name under which the value is published.
    public let name: Aspect
    /// The times.
    public let time: ScheduleTime
    /// The time after which it does not fire; `nil` for none.
    public let until: Timestamp?
    /// What happens to missed firings.
    public let ifMissed: MissedFirings
    /// The lateness beyond which a missed firing is left out; `nil` for none.
    public let grace: Duration?
    /// The command that the bus starts if there is no subscriber; `nil` for none.
    public let command: [String]?
    /// The time of the next firing; `nil` if there will be none, as on a 30th of February.
    public let next: Timestamp?
    /// The number of firings up to now.
    public let fired: Int
}

extension ScheduleEntry {
    /// The times at which the entry fires.
    package var time: ScheduleTime {
        let start = at.map { Timestamp(microseconds: $0) }
        if let every { return .every(.milliseconds(every), from: start) }
        if let calendar { return .calendar(calendar, zone: zone, from: start) }
        return .at(start ?? Timestamp(microseconds: 0))
    }
}
