// SPDX-License-Identifier: Apache-2.0

/// Limits how finely and how often a battery's level is reported; other changes pass immediately.
///
/// A changed level waits until the interval since the last report ends, unless it is urgent: a jump, or a level that
/// makes users and programs act. The last value is never lost.
package struct LevelFilter: Sendable {
    /// The change between readings that is reported at once: faster than discharging, so the pack or gauge is another.
    private static let jump = 0.05
    /// The levels at which programs warn, save and shut down (UPower: low 20%, critical 5%; phones: 20% and 10%).
    private static let thresholds = [0.20, 0.10, 0.05]
    /// The largest number of urgent reports in a row, after which a gauge that flaps waits for the interval.
    ///
    /// From full to empty there are 20 jumps and 3 thresholds.
    private static let urgentLimit = 23
    /// Levels are decimal fractions; a step of one percent must not be missed because of a rounding error.
    private static let tolerance = 1e-9

    private let step: Double
    private let interval: Duration
    private var reported: Battery?
    /// The time of the last report; `nil` before the second one, since the first does not start the interval.
    private var reportedAt: Instant?
    private var waiting: Battery?
    private var urgentReports = 0

    /// Creates a filter with the smallest change of the level that is reported, 0 to 1.
    ///
    /// The interval is the shortest time between two readings that differ only in level; 0 for no limit.
    package init(step: Double, interval: Duration) {
        self.step = step
        self.interval = interval
    }

    /// The time when ``expire(at:)`` returns a reading; `nil` while none waits.
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
        guard let old = reported.level, let new = reading.level, abs(new - old) >= step - Self.tolerance, new != old
        else {
            waiting = nil
            return nil
        }
        let last = waiting?.level ?? old
        waiting = reading
        if let due = expire(at: now) { return due }
        let isJump = abs(new - last) >= Self.jump - Self.tolerance
        guard urgentReports < Self.urgentLimit, isJump || Self.crosses(old, new) else { return nil }
        urgentReports += 1
        return pass(reading, at: now)
    }

    private static func crosses(_ old: Double, _ new: Double) -> Bool {
        let range = min(old, new) - tolerance...max(old, new) + tolerance
        return thresholds.contains(where: range.contains)
    }

    /// Returns the reading that waits, if its time has come.
    package mutating func expire(at now: Instant) -> Battery? {
        guard let waiting else { return nil }
        if let reportedAt, now < reportedAt + interval { return nil }
        urgentReports = 0
        return pass(waiting, at: now)
    }

    /// Passes a reading regardless of the step and the interval, as the answer to a question.
    ///
    /// A question that finds nothing new does not delay the next change.
    package mutating func pass(_ reading: Battery, at now: Instant) -> Battery {
        waiting = nil
        guard reading != reported else { return reading }
        reported = reading
        reportedAt = now
        return reading
    }
}

extension Battery {
    fileprivate var exceptLevels: Battery {
        var reading = self
        reading.level = nil
        for index in reading.packs.indices { reading.packs[index].level = nil }
        return reading
    }
}
