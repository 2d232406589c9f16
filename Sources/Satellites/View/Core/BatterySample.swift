// SPDX-License-Identifier: Apache-2.0

package import Varlink

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

    package init(time: Int64, level: Double?, state: String, changes: Int = 0, isStart: Bool = false) {
        self.time = time
        self.level = level
        self.state = state
        self.changes = changes
        self.isStart = isStart
    }
}

extension BatterySample {
    /// Creates the sample of an event; `nil` for an event of another aspect, and for the first state of a
    /// device without a battery.
    package init?(_ event: JSON, isStart: Bool) {
        guard let event = event.objectValue, event["aspect"] == "battery", let battery = event["battery"]?.objectValue,
            let state = battery["state"]?.stringValue, let time = event["changedAt"]?.integerValue
        else { return nil }
        let level = battery["level"]?.numberValue
        let changes = Int(clamping: event["changes"]?.integerValue ?? 0)
        // A battery that was removed is an unknown state that ends the line.
        guard level != nil || state != "unknown" || changes > 0 else { return nil }
        self.init(time: time / 1_000_000, level: level, state: state, changes: changes, isStart: isStart)
    }
}

/// The part of the history that a chart shows.
package enum BatterySpan: String, Sendable, CaseIterable {
    case day, week, month

    package var seconds: Int64 {
        switch self {
        case .day: 86_400
        case .week: 7 * 86_400
        case .month: 30 * 86_400
        }
    }
}
