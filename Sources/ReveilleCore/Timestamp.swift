// SPDX-License-Identifier: Apache-2.0

/// A moment on the wall clock of a device (CLOCK_REALTIME), in whole microseconds of UTC.
///
/// ```swift
/// let soon = Timestamp.now + .seconds(300)
/// let battery = try await device.get(.battery)
/// print("\(battery.changedAt), \(Timestamp.now - battery.changedAt) ago")
/// ```
///
/// The clock can be set, so the difference of two moments is not always the time between them, and a later event can
/// have an earlier moment; ``Event/sequence`` orders events. Leap seconds do not count. Moments lie within 292,000
/// years of 1970, and arithmetic stops at these limits. The library `ReveilleFoundation` converts them to `Date`.
public struct Timestamp: InstantProtocol, Codable {
    /// Microseconds since 1970-01-01 00:00:00 UTC.
    public let microseconds: Int64

    /// Creates a moment from microseconds since 1970.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Returns the moment a duration later, in whole microseconds; the first or last possible moment if it is beyond that.
    public func advanced(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (whole, isLong) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, isFar) = microseconds.addingReportingOverflow(whole)
        let (moment, isFarther) = sum.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        guard isLong || isFar || isFarther else { return Timestamp(microseconds: moment) }
        return Timestamp(microseconds: duration < .zero ? .min : .max)
    }

    /// Returns the time from this moment to another on the wall clock; negative if the other is earlier.
    public func duration(to other: Timestamp) -> Duration {
        .microseconds(other.microseconds) - .microseconds(microseconds)
    }

    /// Returns the moment a duration later.
    public static func + (moment: Timestamp, duration: Duration) -> Timestamp { moment.advanced(by: duration) }
    /// Returns the moment a duration earlier.
    public static func - (moment: Timestamp, duration: Duration) -> Timestamp { moment.advanced(by: .zero - duration) }
    /// Returns the time between two moments; negative if the first is earlier.
    public static func - (end: Timestamp, start: Timestamp) -> Duration { start.duration(to: end) }

    /// Decodes the number of microseconds.
    ///
    /// - Throws: `DecodingError` if the value is not an integer of 64 bits.
    public init(from decoder: any Decoder) throws {
        microseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Encodes the number of microseconds.
    ///
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(microseconds)
    }

    /// Returns whether the first moment is earlier than the second.
    public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
        lhs.microseconds < rhs.microseconds
    }
}

extension Timestamp: CustomStringConvertible {
    /// The moment in UTC, as ISO 8601 writes it: `2026-11-26T07:30:00.000000Z`.
    public var description: String {
        let (second, fraction) = Int(microseconds).dividedDown(by: 1_000_000)
        let (day, time) = second.dividedDown(by: CivilDate.daySeconds)
        let date = CivilDate(dayNumber: day)
        func digits(_ number: Int, _ count: Int = 2) -> String {
            let text = String(abs(number))
            return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        return "\(digits(date.year, 4))-\(digits(date.month))-\(digits(date.day))"
            + "T\(digits(time / 3_600)):\(digits(time / 60 % 60)):\(digits(time % 60)).\(digits(fraction, 6))Z"
    }
}

/// A moment of a monotonic clock that also runs while the system sleeps, for deadlines.
package struct Instant: Sendable, Hashable, Comparable {
    /// Microseconds since the clock's origin.
    package let microseconds: Int64

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    package static func < (lhs: Instant, rhs: Instant) -> Bool {
        lhs.microseconds < rhs.microseconds
    }

    /// Returns the moment a duration later, in whole microseconds.
    package static func + (lhs: Instant, rhs: Duration) -> Instant {
        let (seconds, attoseconds) = rhs.components
        return Instant(microseconds: lhs.microseconds + seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    }

    package static func - (lhs: Instant, rhs: Instant) -> Duration {
        .microseconds(lhs.microseconds - rhs.microseconds)
    }
}

extension Duration {
    /// The duration in seconds, exact if they are whole; dividing gives 9900.000000000002 for 9,900 seconds.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
