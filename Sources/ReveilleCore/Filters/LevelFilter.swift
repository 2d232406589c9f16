// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Limits how finely and how often a battery's level is reported; other changes pass immediately.
///
/// A changed level waits until the interval since the last report ends. The last value is never lost.
package struct LevelFilter: Sendable {
    private let step: Double
    private let interval: Duration
    private var reported: Battery?
    /// The time of the last report; `nil` before the second one, since the first does not start the interval.
    private var reportedAt: Instant?
    private var waiting: Battery?

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - step: The smallest change of the level that is reported, 0 to 1.
    ///   - interval: The shortest time between two readings that differ only in level; 0 for no limit.
    package init(step: Double, interval: Duration) {
        self.step = step
        self.interval = interval
    }

    /// The time at which ``expire(at:)`` returns a reading; `nil` while none waits.
    package var deadline: Instant? {
        waiting == nil ? nil : reportedAt.map { $0 + interval }
    }

    /// Filters a reading; returns it if it is reported now, and `nil` if it waits or is dropped.
    package mutating func offer(_ reading: Battery, at now: Instant) -> Battery? {
        guard let reported else {
            self.reported = reading
            return reading
        }
        guard reported.exceptLevels == reading.exceptLevels, (reported.level == nil) == (reading.level == nil) else {
            return pass(reading, at: now)
        }
        // Levels are decimal fractions; a step of one percent must not be missed because of a rounding error.
        guard let old = reported.level, let new = reading.level, abs(new - old) >= step - 1e-9, new != old else {
            waiting = nil
            return nil
        }
        waiting = reading
        return expire(at: now)
    }

    /// Returns the reading that waits, if its time has come.
    package mutating func expire(at now: Instant) -> Battery? {
        guard let waiting else { return nil }
        if let reportedAt, now < reportedAt + interval { return nil }
        return pass(waiting, at: now)
    }

    /// Passes a reading regardless of the step and the interval, for a refresh.
    package mutating func pass(_ reading: Battery, at now: Instant) -> Battery {
        reported = reading
        reportedAt = now
        waiting = nil
        return reading
    }
}

extension Battery {
    /// The reading without levels.
    fileprivate var exceptLevels: Battery {
        var reading = self
        reading.level = nil
        for index in reading.packs.indices { reading.packs[index].level = nil }
        return reading
    }
}
