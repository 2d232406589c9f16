// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleCore
import ReveilleWire
import Testing

@testable import ReveilleTool

@Suite struct BusHistoryTests {
    private static func time(_ minutes: Int) -> Timestamp { Timestamp(microseconds: Int64(minutes) * 60_000_000) }

    private static func battery(_ level: Double, _ minute: Int, changes: Int = 1) -> LogLine {
        let time = time(minute)
        return .change(
            Event(
                reading: .battery(
                    Battery(state: .unplugged, level: level, isPlugged: false, chargeStatus: .discharging, packs: [])),
                generation: minute, sequence: minute, changeCount: changes, isNetChange: true, firstChangedAt: time,
                changedAt: time, droppedCount: 0, settings: []))
    }

    private static func on(_ aspect: Aspect?, _ minute: Int) -> LogLine { .watching(aspect, true, since: time(minute)) }
    private static func off(_ aspect: Aspect?, _ minute: Int) -> LogLine {
        .watching(aspect, false, since: time(minute))
    }

    /// Returns the items in short, such as `50% at 3` and `battery 2 to 4`.
    private static func items(_ log: [LogLine], of aspects: [Aspect] = [], allReadings: Bool = false) -> [String] {
        func minute(_ time: Timestamp) -> Int { Int(time.microseconds / 60_000_000) }
        return BusHistory(log, of: aspects, allReadings: allReadings).items.map { item in
            switch item {
            case .change(let event): "\(Int((event.battery?.level ?? 0) * 100))% at \(minute(event.changedAt))"
            case .gap(let aspect, let start, let end):
                "\(aspect?.name ?? "bus") \(minute(start)) to \(end.map { "\(minute($0))" } ?? "now")"
            }
        }
    }

    @Test("a time in which an aspect was not watched is a gap, unless it was short") func unwatchedTime() {
        let log = [
            Self.on(nil, 0), Self.on(.battery, 1), Self.battery(0.5, 2), Self.off(.battery, 3), Self.on(.battery, 9),
            Self.battery(0.4, 9), Self.off(.battery, 10), Self.on(.battery, 10), Self.off(.battery, 12),
        ]
        #expect(Self.items(log) == ["50% at 2", "battery 3 to 9", "40% at 9", "battery 12 to now"])
        #expect(BusHistory(log, of: []).start == Self.time(0))
        #expect(BusHistory(log, of: [.battery]).start == Self.time(1), "before, nobody watched it")
        #expect(BusHistory(log, of: ["org.example.a"]).start == Self.time(0), "a name needs no watching")
        #expect(BusHistory(log, of: [.light]).start == nil)
    }

    @Test("the time between two buses is one gap, whether the first was stopped or killed", arguments: [true, false])
    func timeBetweenBuses(isClean: Bool) {
        let end = isClean ? [Self.off(.battery, 3), Self.off(nil, 3)] : []
        let start = [Self.on(nil, 0), Self.on(.battery, 0), Self.battery(0.5, 3)]
        let log = start + end + [Self.on(nil, 9), Self.on(.battery, 9), Self.battery(0.4, 9, changes: 0)]
        // The first reading of the second bus differs from what was known, so it is news.
        #expect(Self.items(log) == ["50% at 3", "bus 3 to 9", "40% at 9"])
        #expect(
            Self.items(start + end + [Self.on(nil, 9), Self.on(.battery, 15)]).suffix(2) == [
                "bus 3 to 9", "battery 9 to 15",
            ])
    }

    @Test("first readings that say nothing new are left out, except from a chart") func firstReadings() {
        let log = [
            Self.battery(0.5, 1, changes: 0), Self.battery(0.4, 2), Self.battery(0.4, 3, changes: 0),
            Self.battery(0.3, 4, changes: 0),
        ]
        #expect(Self.items(log) == ["40% at 2", "30% at 4"])
        #expect(Self.items(log, allReadings: true).count == 4)
    }

    @Test("a device without a sensor is mentioned only to those who ask") func missingSensor() {
        let log = [Self.on(nil, 0), Self.on(.light, 1), Self.off(.light, 2), Self.on(.light, 9)]
        #expect(Self.items(log) == [])
        #expect(Self.items(log, of: [.light]) == ["light 2 to 9"])
    }

    @Test("in a chart, the number is unknown in a gap, and afterwards as before") func gapOfAChart() throws {
        let log = [
            Self.on(.battery, 1), Self.battery(0.5, 2), Self.off(.battery, 3), Self.on(.battery, 9),
            Self.battery(0.4, 11),
        ]
        let number = try #require(ChartedNumber(.battery))
        let points = PlotCommand.points(of: BusHistory(log, of: [.battery]).items, number)
        #expect(points.map(\.value) == [50, nil, 50, 40])
        #expect(PlotChart(points, number: number).summary.contains("2 changes"))
    }

    @Test("times at the ends of the clock and a clock that goes back have no effect on the order") func strangeTimes() {
        let times: [Int64] = [.max, .min, 0, .max, .min]
        let log = times.enumerated().map { LogLine.watching(.battery, $0 % 2 == 0, since: Timestamp(microseconds: $1)) }
        _ = BusHistory(log + log.map { LogLine.watching(nil, true, since: $0.time) } + log, of: [])
        #expect(Self.items([Self.battery(0.5, 9), Self.battery(0.4, 2)]) == ["50% at 9", "40% at 2"])
    }
}
