// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import ReveilleCore

extension Timestamp {
    /// Creates a timestamp from a date of Foundation, rounded to a microsecond.
    ///
    /// Dates before the year -290,000 and after the year 290,000 become the nearest timestamp.
    public init(_ date: Date) {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        self.init(microseconds: Int64(exactly: microseconds) ?? (microseconds > 0 ? .max : .min))
    }
}

extension Date {
    /// Creates a date from a timestamp.
    public init(_ timestamp: Timestamp) {
        self.init(timeIntervalSince1970: Double(timestamp.microseconds) / 1_000_000)
    }
}
