// SPDX-License-Identifier: Apache-2.0

/// A record of the history: the state of the battery since a time.
package struct BatterySample: Sendable, Hashable {
    /// The time in seconds since 1970.
    package var time: Int64
    /// The level from 0 to 1; `nil` if it is unknown.
    package var level: Double?
    /// The state in the words of the bus: `unknown`, `unplugged`, `charging` or `full`.
    package var state: String
    /// The number of changes that the event stood for; 0 for a state at the start, and for imported samples.
    package var changes: Int
    /// Whether the time before the sample was not recorded.
    package var isStart: Bool

    /// Creates a sample.
    package init(time: Int64, level: Double?, state: String, changes: Int = 0, isStart: Bool = false) {
        self.time = time
        self.level = level
        self.state = state
        self.changes = changes
        self.isStart = isStart
    }
}

/// The part of the history that a chart shows.
package enum BatterySpan: String, Sendable, CaseIterable {
    case day, week, month

    /// The length in seconds.
    package var seconds: Int64 {
        switch self {
        case .day: 86_400
        case .week: 7 * 86_400
        case .month: 30 * 86_400
        }
    }
}
