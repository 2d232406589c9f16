// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct SettleFilterTests {
    @Test func newValueIsHeldUntilItHasLasted() {
        var filter = SettleFilter<Int>(settle: .milliseconds(400))
        func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1_000) }
        #expect(filter.offer(1, at: at(0)) == 1)
        #expect(filter.offer(2, at: at(100)) == nil)
        #expect(filter.deadline == at(500))
        #expect(filter.offer(2, at: at(499)) == nil)
        #expect(filter.offer(2, at: at(500)) == 2)
        #expect(filter.offer(1, at: at(600)) == nil)
        #expect(filter.offer(3, at: at(700)) == nil)
        #expect(filter.deadline == at(1_100))
        #expect(filter.offer(2, at: at(800)) == nil)
        #expect(filter.deadline == nil)
    }

    @Test func withoutSettlingEveryValuePasses() {
        var filter = SettleFilter<Int>(settle: .zero)
        #expect([1, 2, 2, 1].map { filter.offer($0, at: Instant(microseconds: 0)) } == [1, 2, nil, 1])
    }

    @Test("a value with a shorter time is confirmed by the sample at its end") func shorterTimeCounts() {
        var filter = SettleFilter<Int>(settle: .milliseconds(400))
        func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1_000) }
        let short = Duration.milliseconds(200)
        #expect(filter.offer(1, at: at(0)) == 1)
        #expect(filter.offer(2, at: at(100), within: short) == nil)
        #expect(filter.deadline == at(300))
        #expect(filter.offer(2, at: at(299)) == nil)
        #expect(filter.offer(2, at: at(300)) == 2)
        // A value that was offered without a limit.
        #expect(filter.offer(3, at: at(400)) == nil)
        #expect(filter.offer(3, at: at(500), within: short) == nil)
        #expect(filter.deadline == at(600))
        #expect(filter.offer(3, at: at(600)) == 3)
        // A limit never lengthens the time, and ends with its value.
        #expect(filter.offer(4, at: at(700), within: .seconds(9)) == nil)
        #expect(filter.deadline == at(1_100))
        #expect(filter.offer(5, at: at(800), within: short) == nil)
        #expect(filter.offer(6, at: at(900)) == nil)
        #expect(filter.deadline == at(1_300))
    }
}
