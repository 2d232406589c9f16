// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore

/// The times at which an entry of the schedule fires.
@nonexhaustive public enum ScheduleTime: Sendable, Hashable {
    /// Once. A time that has passed is due at once.
    case at(Timestamp)
    /// At intervals of at least a second, by default beginning one interval from now.
    case every(Duration, from: Timestamp? = nil)
    /// Whenever parts of the calendar match, on the clock of a zone of the tz database, such as `Europe/Berlin`.
    ///
    /// Without a zone, or with `local`, it is the device's zone, even after that changes.
    case calendar(CalendarRule, zone: String? = nil, from: Timestamp? = nil)
}

/// What happens to firings whose time passed while the device was off or asleep, or its clock was set.
@nonexhaustive public enum MissedFirings: Sendable, Hashable {
    /// They fire at once, and each counts as a change.
    case fire
    /// They are skipped.
    case skip
}

/// An entry of the schedule.
public struct ScheduledEntry: Sendable, Hashable {
    /// The identifier, which is unique among the entries of this user.
    public let id: String
    /// The name under which the value is published.
    public let name: Aspect
    /// The times at which the entry fires.
    public let time: ScheduleTime
    /// The time after which the entry does not fire; `nil` for no end.
    public let until: Timestamp?
    /// What happens to missed firings.
    public let ifMissed: MissedFirings
    /// The delay beyond which a missed firing is skipped; `nil` for no limit.
    public let grace: Duration?
    /// The command that the bus starts if the name has no subscriber; `nil` for none.
    public let command: [String]?
    /// The time of the next firing; `nil` if there will be none, as on a 30th of February.
    public let next: Timestamp?
    /// The number of firings so far.
    public let fired: Int
}

extension ScheduleEntry {
    package var time: ScheduleTime {
        let start = at.map { Timestamp(microseconds: $0) }
        if let every { return .every(.milliseconds(every), from: start) }
        if let calendar { return .calendar(calendar, zone: zone, from: start) }
        return .at(start ?? Timestamp(microseconds: 0))
    }
}
