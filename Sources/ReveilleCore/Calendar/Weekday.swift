// SPDX-License-Identifier: Apache-2.0

/// A day of the week, with its number in ISO 8601.
public enum Weekday: Int, Sendable, CaseIterable {
    /// The first day of the week, number 1.
    case monday = 1
    /// Number 2.
    case tuesday
    /// Number 3.
    case wednesday
    /// Number 4.
    case thursday
    /// Number 5.
    case friday
    /// Number 6.
    case saturday
    /// Number 7.
    case sunday
}
