// SPDX-License-Identifier: Apache-2.0

/// How long the bus delays an announced sleep of the machine: until awake subscribers have read the announcement and had
/// time to begin tasks, and all tasks have ended.
package struct SleepPreparation: Sendable, Hashable {
    /// The time in microseconds in which a program that has read the announcement can begin a task.
    package static let answerTime: UInt64 = 500_000
    /// How long before the login manager's deadline the lock is closed, in microseconds.
    private static let margin: UInt64 = 500_000

    package let begin: UInt64
    private let end: UInt64
    /// The end of the time to begin tasks; `nil` while the announcement is unread.
    private var answered: UInt64?
    private let hasAudience: Bool

    /// Begins at a time in microseconds since boot; `longest` is how long the login manager waits, in microseconds.
    package init(at now: UInt64, longest: UInt64, hasAudience: Bool) {
        begin = now
        // If the time is short, a fifth of it is enough for the login manager to notice.
        let delay = longest >= 5 * Self.margin ? longest - Self.margin : longest / 5 * 4
        let (sum, isEndless) = now.addingReportingOverflow(delay)
        end = isEndless ? .max : sum
        self.hasAudience = hasAudience
    }

    /// Returns whether the machine may sleep.
    package mutating func isOver(at now: UInt64, isRead: Bool, hasTasks: Bool) -> Bool {
        guard now < end else { return true }
        guard isRead else { return false }
        let answered = answered ?? (hasAudience ? now + Self.answerTime : now)
        self.answered = answered
        return now >= answered && !hasTasks
    }

    /// The next time at which the preparation may be over without a further input.
    package func next(after now: UInt64) -> UInt64 {
        if let answered, answered > now { min(answered, end) } else { end }
    }
}
