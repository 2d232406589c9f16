// SPDX-License-Identifier: Apache-2.0

import ReveilleViewCore
import Testing
import Varlink

@Suite struct BatteryChartTests {
    private static func sample(
        _ time: Int64, _ level: Double?, _ state: String = "unplugged", changes: Int = 1
    ) -> BatterySample {
        BatterySample(time: time, level: level, state: state, changes: changes)
    }

    @Test("few samples remain as they are, and their events and changes are counted") func fewSamples() {
        let samples = [
            Self.sample(100, 0.9, changes: 3), Self.sample(200, 0.8), Self.sample(300, nil, "unknown", changes: 0),
        ]
        let chart = BatteryChart(samples, from: 100, length: 1_000)
        #expect(chart.points == samples)
        #expect(chart.events == 2 && chart.changes == 4)
        #expect(BatteryChart([], from: 0, length: 10).points.isEmpty)
    }

    @Test("B241: a chart begins ten minutes ago, and grows with its samples up to its span") func window() {
        #expect(BatterySpan.day.start(at: 100_000, first: nil) == 99_400)
        #expect(BatterySpan.day.start(at: 100_000, first: 99_990) == 99_400)
        #expect(BatterySpan.day.start(at: 100_000, first: 50_000) == 50_000)
        #expect(BatterySpan.day.start(at: 100_000, first: 1) == 13_600)
        #expect(BatterySpan.week.start(at: 1_000_000, first: .min) == 395_200)
    }

    @Test("the state before the time is its first point, and is not counted") func stateBefore() {
        let chart = BatteryChart([Self.sample(50, 0.5, changes: 9), Self.sample(150, 0.4)], from: 100, length: 1_000)
        #expect(chart.points.map(\.time) == [100, 150])
        #expect(chart.points[0].level == 0.5)
        #expect(chart.events == 1 && chart.changes == 1)
    }

    @Test("a month at one sample a minute keeps its extremes, its end and its changes of state in a few points")
    func manySamples() throws {
        var samples: [BatterySample] = []
        for minute in 0..<43_200 {
            let isDip = minute == 20_001
            samples.append(
                Self.sample(
                    Int64(minute * 60), isDip ? 0.01 : minute == 7_777 ? 0.99 : 0.5 + 0.001 * Double(minute % 60),
                    minute == 30_003 ? "charging" : "unplugged"))
        }
        let chart = BatteryChart(samples, from: 0, length: 43_200 * 60)
        #expect(chart.points.count <= BatteryChart.intervals * 7)
        #expect(chart.points.contains { $0.time == 20_001 * 60 && $0.level == 0.01 })
        #expect(chart.points.contains { $0.time == 7_777 * 60 && $0.level == 0.99 })
        #expect(chart.points.contains { $0.time == 30_003 * 60 && $0.state == "charging" })
        #expect(chart.points.first == samples.first && chart.points.last == samples.last)
        #expect(zip(chart.points, chart.points.dropFirst()).allSatisfy { $0.time < $1.time })
        #expect(chart.events == 43_200 && chart.changes == 43_200)
    }

    @Test("a chart of hostile samples is bounded and does not trap") func hostileSamples() {
        let samples = (0..<10_000).map { Self.sample(Int64($0 % 7), Double($0 % 3), "s\($0)", changes: .max) }
        let chart = BatteryChart(samples, from: 0, length: 0)
        #expect(chart.points.count <= 10_000)
        let late = BatteryChart([Self.sample(.max, 0.5), Self.sample(.min, 0.5)], from: 0, length: 10)
        #expect(late.points.count == 2)
    }

    @Test("an event of the battery is a sample, unless the device has no battery") func samples() {
        let sample = BatterySample(
            ["aspect": "battery", "changedAt": 5_999_999, "changes": 4, "battery": ["state": "full", "level": 1.0]],
            isStart: true)
        #expect(sample == BatterySample(time: 5, level: 1, state: "full", changes: 4, isStart: true))
        #expect(
            BatterySample(
                ["aspect": "battery", "changedAt": 1, "battery": ["state": "unknown", "level": nil]], isStart: false)
                == nil)
        let removed: JSON = [
            "aspect": "battery", "changedAt": 0, "changes": 1, "battery": ["state": "unknown", "level": nil],
        ]
        #expect(BatterySample(removed, isStart: false)?.level == .some(nil))
        #expect(BatterySample(["aspect": "light", "changedAt": 1], isStart: false) == nil)
        #expect(BatterySample(3, isStart: false) == nil)
    }
}
