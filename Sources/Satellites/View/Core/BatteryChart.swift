// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The points of a step line, few enough for a chart.
///
/// Pure.
package struct BatteryChart: Sendable, Hashable {
    /// The number of intervals in a chart: more than its pixels on most screens.
    package static let intervals = 400

    package var points: [BatterySample]
    /// The number of recorded events, without the states at a start.
    package var events = 0
    package var changes = 0

    /// Chooses the points from samples in the order of their times, preceded by the last sample before the start, if any.
    ///
    /// Each interval keeps its first and last samples, its lowest and highest levels, and each sample with a new state,
    /// up to a limit. So a line keeps its shape, whatever the number of samples. Times are in seconds since 1970.
    package init(
        _ samples: some Sequence<BatterySample>, from start: Int64, length: Int64, intervals: Int = intervals
    ) {
        points = []
        var bucket = Bucket()
        let width = max(1, length / Int64(max(1, intervals)))
        for var sample in samples {
            if sample.changes > 0, sample.time >= start {
                events += 1
                changes = changes.addingReportingOverflow(sample.changes).partialValue
            }
            // The last state before the start is the state at the start.
            sample.time = max(sample.time, start)
            let number = (sample.time - start) / width
            if number != bucket.number { points += bucket.take(number) }
            bucket.add(sample)
        }
        points += bucket.take(0)
    }

    private struct Bucket {
        static let stateLimit = 4

        var number: Int64 = -1
        private var kept: [BatterySample] = []
        private var lowest: BatterySample?
        private var highest: BatterySample?
        private var last: BatterySample?

        mutating func add(_ sample: BatterySample) {
            let isOfState = last.map { $0.state != sample.state || sample.isStart } ?? true
            if isOfState, kept.count < Self.stateLimit { kept.append(sample) }
            if let level = sample.level {
                if level < lowest?.level ?? .infinity { lowest = sample }
                if level > highest?.level ?? -.infinity { highest = sample }
            }
            last = sample
        }

        mutating func take(_ next: Int64) -> [BatterySample] {
            // The last sample of a time wins: its state lasts.
            var samples: [Int64: BatterySample] = [:]
            for sample in kept + [lowest, highest, last].compactMap({ $0 }) { samples[sample.time] = sample }
            self = Bucket()
            number = next
            return samples.values.sorted { $0.time < $1.time }
        }
    }

    /// The chart for the page: `[time, level, state, isStart]` for each point.
    package var json: JSONObject {
        [
            "points": .array(
                points.map { point in
                    [
                        .integer(point.time), point.level.map { .number($0) } ?? .null, .string(point.state),
                        .bool(point.isStart),
                    ]
                }),
            "events": .integer(Int64(events)),
            "changes": .integer(Int64(changes)),
        ]
    }
}

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

    /// The shortest chart in seconds: one that has just begun is not an empty day.
    private static let leastWindow: Int64 = 600

    /// Returns the time at which the chart begins: it grows from ten minutes to its span with its samples.
    package func start(at now: Int64, first: Int64?) -> Int64 {
        max(now - seconds, min(first ?? now, now - Self.leastWindow))
    }

    package var seconds: Int64 {
        switch self {
        case .day: 86_400
        case .week: 7 * 86_400
        case .month: 30 * 86_400
        }
    }
}
