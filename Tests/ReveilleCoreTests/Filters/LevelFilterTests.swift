// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

/// B77: levels are reported in steps and at intervals, other changes immediately.
@Suite struct LevelFilterTests {
    private func reading(_ percent: Double?, _ state: Battery.State = .unplugged) -> Battery {
        Battery(
            state: state, level: percent.map { $0 / 100 }, isPlugged: false, chargeStatus: .discharging, packs: [])
    }

    /// Returns a filter that has just reported a level of 49%, which started the interval of a minute.
    private func reportedFilter() -> LevelFilter {
        var filter = LevelFilter(step: 0.01, interval: .seconds(60))
        _ = filter.offer(reading(50), at: at(0))
        _ = filter.offer(reading(49), at: at(1))
        return filter
    }

    private func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

    @Test func levelsWaitForTheIntervalAndTheLastIsNotLost() {
        var filter = LevelFilter(step: 0.01, interval: .seconds(60))
        #expect(filter.offer(reading(50), at: at(0)) == reading(50))
        #expect(filter.offer(reading(49), at: at(1)) == reading(49))
        for (second, level) in [(2, 48.0), (3, 47), (4, 46)] {
            #expect(filter.offer(reading(level), at: at(Int64(second))) == nil)
        }
        #expect(filter.deadline == at(61))
        #expect(filter.expire(at: at(60)) == nil)
        #expect(filter.expire(at: at(61)) == reading(46))
        #expect(filter.deadline == nil)
        #expect(filter.expire(at: at(200)) == nil)
    }

    @Test func stateChangesImmediatelyWithTheCurrentLevel() {
        var filter = reportedFilter()
        #expect(filter.offer(reading(48), at: at(2)) == nil)
        #expect(filter.offer(reading(48, .charging), at: at(3)) == reading(48, .charging))
        #expect(filter.deadline == nil)
    }

    @Test func levelThatChangedBackIsNotReported() {
        var filter = reportedFilter()
        #expect(filter.offer(reading(48), at: at(2)) == nil)
        #expect(filter.offer(reading(49), at: at(3)) == nil)
        #expect(filter.deadline == nil)
    }

    @Test func stepsAddUp() {
        var filter = LevelFilter(step: 0.01, interval: .zero)
        _ = filter.offer(reading(50), at: at(0))
        #expect(filter.offer(reading(49.6), at: at(1)) == nil)
        #expect(filter.offer(reading(49.2), at: at(2)) == nil)
        #expect(filter.offer(reading(49), at: at(3)) == reading(49))
    }

    @Test(arguments: 1...99) func stepOfOnePercentIsOnePercentAtEveryLevel(percent: Int) {
        var filter = LevelFilter(step: 0.01, interval: .zero)
        _ = filter.offer(reading(Double(percent)), at: at(0))
        #expect(filter.offer(reading(Double(percent + 1)), at: at(1)) != nil)
    }

    @Test func levelThatBecomesUnreadableIsReportedImmediately() {
        var filter = reportedFilter()
        #expect(filter.offer(reading(nil), at: at(2)) == reading(nil))
        #expect(filter.offer(reading(49), at: at(3)) == reading(49))
    }

    @Test func refreshedReadingPassesImmediately() {
        var filter = reportedFilter()
        _ = filter.offer(reading(48), at: at(2))
        #expect(filter.pass(reading(48.5), at: at(3)) == reading(48.5))
        #expect(filter.deadline == nil)
    }

    @Test func jumpsAreReportedImmediately() {
        var filter = reportedFilter()
        #expect(filter.offer(reading(46), at: at(2)) == nil)
        // Small steps are not a jump.
        #expect(filter.offer(reading(43), at: at(3)) == nil)
        #expect(filter.offer(reading(38), at: at(3)) == reading(38))
        #expect(filter.offer(reading(3), at: at(4)) == reading(3))
        #expect(filter.offer(reading(80), at: at(5)) == reading(80))
    }

    static let crossings: [(from: Double, to: Double, isUrgent: Bool)] = [
        (21, 20, true), (20, 19, true), (21, 19, true), (19, 21, true), (11, 9, true), (9, 11, true), (6, 4, true),
        (4, 6, true), (22, 21, false), (19, 18, false), (30, 29, false), (12, 11, false), (4, 3, false),
    ]

    @Test(arguments: crossings) func thresholdsAreReportedImmediately(from: Double, to: Double, isUrgent: Bool) {
        var filter = LevelFilter(step: 0.01, interval: .seconds(60))
        _ = filter.offer(reading(90), at: at(0))
        _ = filter.offer(reading(from), at: at(1))
        #expect(filter.offer(reading(to), at: at(2)) == (isUrgent ? reading(to) : nil))
    }

    @Test func gaugeThatFlapsAroundAThresholdWaitsInTheEnd() {
        var filter = LevelFilter(step: 0.01, interval: .seconds(60))
        var reports = 0
        for tenth in 0..<6_000 {
            let now = Instant(microseconds: Int64(tenth) * 100_000)
            if filter.offer(reading(tenth.isMultiple(of: 2) ? 20 : 21), at: now) != nil { reports += 1 }
        }
        #expect(reports < 300)
        #expect(filter.deadline != nil || filter.offer(reading(20), at: at(1_000)) != nil)
    }

    @Test func questionThatFindsNothingNewDoesNotDelayTheNextChange() {
        var filter = LevelFilter(step: 0.01, interval: .seconds(60))
        _ = filter.offer(reading(50), at: at(0))
        #expect(filter.pass(reading(50), at: at(1)) == reading(50))
        #expect(filter.offer(reading(49), at: at(2)) == reading(49))
    }

    @Test func questionFindsALevelThatWaits() {
        var filter = reportedFilter()
        #expect(filter.offer(reading(48), at: at(2)) == nil)
        #expect(filter.pass(reading(48), at: at(3)) == reading(48))
        #expect(filter.expire(at: at(61)) == nil)
        #expect(filter.offer(reading(47), at: at(4)) == nil)
        #expect(filter.deadline == at(63))
    }
}
