// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct SleepRuleTests {
    private var rule = SleepRule(after: nil, timeAsleep: 1_000_000)

    private func expect(_ sleep: Sleep, _ expected: Sleep) { #expect(sleep == expected) }

    private mutating func state(after isPreparing: Bool, asleep: UInt64) -> Sleep {
        rule.note(isPreparing: isPreparing, timeAsleep: asleep)
        return rule.sleep
    }

    @Test mutating func announcedSleepHasItsLength() {
        #expect(rule.sleep == Sleep(state: .awake))
        expect(state(after: true, asleep: 1_000_000), Sleep(state: .preparing))
        expect(state(after: false, asleep: 4_500_000), Sleep(state: .awake, sleptFor: .milliseconds(3_500)))
    }

    @Test mutating func announcementWithoutASleepKeepsTheLengthOfTheLast() {
        _ = state(after: false, asleep: 2_000_000)
        expect(state(after: true, asleep: 2_000_000), Sleep(state: .preparing, sleptFor: .seconds(1)))
        expect(state(after: false, asleep: 2_000_500), Sleep(state: .awake, sleptFor: .seconds(1)))
    }

    @Test mutating func sleepThatNobodyAnnouncedIsOneChange() {
        expect(state(after: false, asleep: 3_000_000), Sleep(state: .awake, sleptFor: .seconds(2)))
        expect(state(after: false, asleep: 3_000_000), Sleep(state: .awake, sleptFor: .seconds(2)))
    }

    @Test mutating func repeatedAnnouncementsAndSleepsInBetweenAreOneSleep() {
        _ = state(after: true, asleep: 1_000_000)
        expect(state(after: true, asleep: 3_000_000), Sleep(state: .preparing))
        expect(state(after: false, asleep: 6_000_000), Sleep(state: .awake, sleptFor: .seconds(5)))
        expect(state(after: false, asleep: 6_000_000), Sleep(state: .awake, sleptFor: .seconds(5)))
    }

    @Test func ruleContinuesAfterTheSavedStateAndCountsOnlySleepsAfterIt() {
        let last = Sleep(state: .preparing, sleptFor: .seconds(9))
        let later = SleepRule(after: last, counted: 20_000_000, timeAsleep: 24_000_000)
        #expect(later.sleep == Sleep(state: .awake, sleptFor: .seconds(4)))
        #expect(SleepRule(after: last, counted: 20_000_000, timeAsleep: 20_000_500).sleep == last)
        #expect(SleepRule(after: last, counted: 20_000_000, timeAsleep: 0).sleep == last)
        var rule = SleepRule(after: last, timeAsleep: 20_000_000)
        #expect(rule.sleep == last)
        rule.note(isPreparing: false, timeAsleep: .max)
        #expect(rule.sleep.sleptFor.map { $0 > .seconds(9_000_000_000_000) } == true)
        for timeAsleep in [UInt64.max, 0] { rule.note(isPreparing: false, timeAsleep: timeAsleep) }
        #expect(rule.sleep.state == .awake)
    }
}
