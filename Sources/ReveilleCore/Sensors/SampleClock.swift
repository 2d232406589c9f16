// SPDX-License-Identifier: Apache-2.0

/// The times of samples, which never decrease.
package struct SampleClock: Sendable {
    /// The greatest difference between a driver's time and the present: longer than a sample waits in a buffer.
    ///
    /// A driver may use another clock, or none. A time that precedes the last sample by more than this shows that the
    /// wall clock was set back.
    private static let tolerance: Int64 = 1_000_000

    /// The time of the last sample, and the time since boot when it was requested; `nil` before the first.
    private var last: (time: Timestamp, at: Instant)?

    package init() {}

    /// Returns the time of the next sample: the driver's if it is close to the present, otherwise the present.
    ///
    /// A driver's time is in nanoseconds since 1970. The result is not before the last sample: after the wall clock was
    /// set back, it advances with the time since boot, which never decreases.
    package mutating func time(_ driver: Double?, now: Timestamp, boot: Instant) -> Timestamp {
        let time = later(Self.time(driver, now: now), boot)
        last = (time, boot)
        return time
    }

    private static func time(_ driver: Double?, now: Timestamp) -> Timestamp {
        guard let microseconds = driver.flatMap({ Int64(exactly: ($0 / 1_000).rounded()) }) else { return now }
        let (age, overflow) = now.microseconds.subtractingReportingOverflow(microseconds)
        return !overflow && (-tolerance...tolerance).contains(age) ? Timestamp(microseconds: microseconds) : now
    }

    private func later(_ time: Timestamp, _ boot: Instant) -> Timestamp {
        guard let last, time < last.time else { return time }
        let (step, overflow) = last.time.microseconds.subtractingReportingOverflow(time.microseconds)
        // A driver's time may be slightly earlier than the present, and the last sample may have used the present.
        if !overflow, step <= Self.tolerance { return last.time }
        let elapsed = max(0, boot.microseconds - last.at.microseconds)
        let (sum, isTooLate) = last.time.microseconds.addingReportingOverflow(elapsed)
        return isTooLate ? last.time : Timestamp(microseconds: sum)
    }
}
