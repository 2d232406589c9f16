// SPDX-License-Identifier: Apache-2.0

/// A moment of wall-clock time.
public struct Timestamp: Sendable, Hashable, Comparable, Codable {
    /// Microseconds since 1970-01-01 00:00:00 UTC.
    public let microseconds: Int64

    /// Creates a moment from microseconds since 1970.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Decodes the number of microseconds.
    public init(from decoder: any Decoder) throws {
        microseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Encodes the number of microseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(microseconds)
    }

    /// Returns whether the first moment is earlier than the second.
    public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
        lhs.microseconds < rhs.microseconds
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
