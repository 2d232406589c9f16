// SPDX-License-Identifier: Apache-2.0

/// The steps of a program from the background to its suspension, or to its end.
///
/// First, its tasks end, and the program reads that it is in the background. Then its lifecycle announces the
/// suspension or the end. A program that does not read, or does not end its tasks, only delays this.
package struct Departure: Sendable, Hashable {
    package enum Step: Sendable, Hashable {
        /// The lifecycle announces the suspension or the end.
        case announce
        /// The program is frozen, or receives SIGTERM.
        case carryOut
    }

    /// The longest time in microseconds for reading both events, without tasks: iOS gives about as much to save state.
    package static let readingTime: UInt64 = 5_000_000

    /// The deadline for reading, in microseconds since boot; `nil` while the program has tasks.
    package private(set) var deadline: UInt64?
    private var isAnnounced = false

    package init(at now: UInt64) {
        deadline = now + Self.readingTime
    }

    /// Returns the step to take now, after which the caller asks again; `nil` if the program still has time.
    ///
    /// The time is in microseconds since boot. Tasks count until their time is over; the last lifecycle is read or not.
    package mutating func next(at now: UInt64, hasTasks: Bool, isRead: Bool) -> Step? {
        guard !hasTasks else {
            deadline = nil
            return nil
        }
        let deadline = deadline ?? now + Self.readingTime
        self.deadline = deadline
        guard isRead || now >= deadline else { return nil }
        guard isAnnounced else {
            isAnnounced = true
            return .announce
        }
        return .carryOut
    }
}
