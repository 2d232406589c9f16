// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A moment of wall-clock time, in microseconds since 1970, UTC, as on the wire.
public struct Timestamp: Sendable, Hashable, Comparable, Codable {
    /// Microseconds since 1970-01-01 00:00:00 UTC.
    public let microseconds: Int64

    /// Makes a moment from microseconds since 1970.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Reads the number of microseconds.
    public init(from decoder: any Decoder) throws {
        microseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes the number of microseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(microseconds)
    }

    /// Says which of two moments is the earlier.
    public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
        lhs.microseconds < rhs.microseconds
    }
}

/// A moment of a clock that only goes forward and counts the time asleep; for deadlines.
///
/// Filters take it as an argument; nothing in this module reads a clock.
package struct Instant: Sendable, Hashable, Comparable {
    /// Microseconds since an origin that only the clock knows.
    package let microseconds: Int64

    /// Makes a moment from microseconds since the clock's origin.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Says which of two moments is the earlier.
    package static func < (lhs: Instant, rhs: Instant) -> Bool {
        lhs.microseconds < rhs.microseconds
    }

    /// The moment a duration later; fractions of a microsecond are cut off.
    package static func + (lhs: Instant, rhs: Duration) -> Instant {
        let (seconds, attoseconds) = rhs.components
        return Instant(microseconds: lhs.microseconds + seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    }

    /// The time from one moment to another.
    package static func - (lhs: Instant, rhs: Instant) -> Duration {
        .microseconds(lhs.microseconds - rhs.microseconds)
    }
}
