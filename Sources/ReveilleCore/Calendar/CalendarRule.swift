// SPDX-License-Identifier: Apache-2.0

/// Parts of a local date and time that must match.
///
/// A part that is `nil` matches any value if it is larger than the smallest part given. Otherwise, it has its lowest
/// value. From large to small, the parts are the month, the day, the hour, the minute and the second. Weekdays count as
/// equal in size to a day: if only one of the two is given, the other matches any value; if both are given, both must
/// match.
///
/// - `hour: 7, minute: 30` is 07:30:00 of each day, `minute: 0` each full hour, `weekdays: [.monday]` the first moment of
///   each Monday, and `month: 3` the first moment of each March.
/// - A time that the clocks skip is replaced by the first moment after the gap; two skipped times in one gap are one
///   slot.
/// - If a time occurs twice, only the first occurrence counts.
/// - If the hour matches any value, the slots are all moments when the clocks show the parts: a skipped time has no
///   slot, and a repeated time has two. Hours are therefore real hours across both changes.
public struct CalendarRule: Sendable, Hashable {
    /// The month, from 1 to 12.
    public let month: Int?
    /// The day of the month, from 1 to 31, or -1 for the last; a month without the day is skipped.
    public let day: Int?
    /// The days of the week, of which any matches; at least one if they are given.
    public let weekdays: Set<Weekday>?
    /// The hour, from 0 to 23.
    public let hour: Int?
    /// The minute, from 0 to 59.
    public let minute: Int?
    /// The second, from 0 to 59.
    public let second: Int?

    /// Creates a rule; at least one part must be given.
    ///
    /// A rule without parts, or with a part out of its range, is refused when it is scheduled.
    public init(
        month: Int? = nil, day: Int? = nil, weekdays: Set<Weekday>? = nil, hour: Int? = nil, minute: Int? = nil,
        second: Int? = nil
    ) {
        self.month = month
        self.day = day
        self.weekdays = weekdays
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// The reason why the parts are not a rule; `nil` for a rule, which alone has slots.
    package var fault: Fault? {
        let parts = [
            ("month", month, 1...12), ("day", day == -1 ? nil : day, 1...31), ("hour", hour, 0...23),
            ("minute", minute, 0...59), ("second", second, 0...59),
        ]
        for (part, value, range) in parts {
            if let value, !range.contains(value) { return .outOfRange(part: part, value: value, range) }
        }
        if let weekdays { return weekdays.isEmpty ? .noWeekdays : nil }
        return [month, day, hour, minute, second].contains { $0 != nil } ? nil : .empty
    }

    var days: DayPattern {
        let weekdays = weekdays?.map(\.rawValue)
        let isMonthAlone = weekdays == nil && hour == nil && minute == nil && second == nil
        return DayPattern(month: month, day: day ?? (isMonthAlone ? 1 : nil), weekdays: weekdays)
    }

    var times: TimePattern {
        TimePattern(
            hour: hour ?? (hasRealHours ? nil : 0), minute: minute ?? (second == nil ? 0 : nil), second: second ?? 0)
    }

    /// Whether the hour matches any value.
    var hasRealHours: Bool { hour == nil && (minute != nil || second != nil) }
}

extension CalendarRule {
    package enum Fault: Hashable, Sendable, CustomStringConvertible {
        case empty
        /// A part is out of its range; a day may also be -1.
        case outOfRange(part: String, value: Int, ClosedRange<Int>)
        case noWeekdays

        /// One line of text: `hour must be 0 to 23, not 24`.
        package var description: String { part.map { "\($0) \(reason)" } ?? reason }

        /// The rule in words that follow the part.
        package var reason: String {
            switch self {
            case .empty: "at least one of month, day, weekday, weekdays, hour, minute and second must be given"
            case .outOfRange(let part, let value, let range):
                "must be \(range.lowerBound) to \(range.upperBound)\(part == "day" ? ", or -1" : ""), not \(value)"
            case .noWeekdays: "must not be empty"
            }
        }

        /// The part that is wrong; `nil` for all of them.
        var part: String? {
            switch self {
            case .empty: nil
            case .outOfRange(let part, _, _): part
            case .noWeekdays: "weekdays"
            }
        }
    }
}
