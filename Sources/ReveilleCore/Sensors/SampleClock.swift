// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The times of samples, which never decrease.
package struct SampleClock: Sendable {
    /// The greatest difference between a driver's time and the present: more than a sample waits in a buffer.
    ///
    /// A driver may use another clock, or none.
    private static let tolerance: Int64 = 1_000_000

    /// The time of the last sample; `nil` before the first.
    package private(set) var last: Timestamp?

    /// Creates a clock before the first sample.
    package init() {}

    /// Returns the time of the next sample.
    ///
    /// - Parameters:
    ///   - driver: The driver's time in nanoseconds since 1970, if it gave one.
    ///   - now: The present.
    /// - Returns: The driver's time if it is close to the present, otherwise the present; not before the last sample.
    package mutating func time(_ driver: Double?, now: Timestamp) -> Timestamp {
        var time = now
        if let microseconds = driver.flatMap({ Int64(exactly: ($0 / 1_000).rounded()) }) {
            let (age, overflow) = now.microseconds.subtractingReportingOverflow(microseconds)
            if !overflow, (-Self.tolerance...Self.tolerance).contains(age) {
                time = Timestamp(microseconds: microseconds)
            }
        }
        time = max(time, last ?? time)
        last = time
        return time
    }
}
