// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct SleepPreparationTests {
    private static let second: UInt64 = 1_000_000

    private func preparation(hasAudience: Bool = true, longest: UInt64 = 5 * second) -> SleepPreparation {
        SleepPreparation(at: 10 * Self.second, longest: longest, hasAudience: hasAudience)
    }

    @Test func programsThatHaveReadGetTimeToBeginATask() {
        var preparation = preparation()
        let steps = [(10_000_000, false), (11_000_000, true), (11_499_999, true), (11_500_000, true)].map {
            now, isRead in
            preparation.isOver(at: now, isRead: isRead, hasTasks: false)
        }
        #expect(steps == [false, false, false, true])
        #expect(preparation.next(after: 11_000_000) == 11_500_000)
    }

    @Test func tasksAreWaitedForUntilShortlyBeforeTheManagerLosesPatience() {
        var preparation = preparation()
        let steps = [(10_000_000, true), (14_499_999, true), (14_500_000, false)].map { now, isRead in
            preparation.isOver(at: now, isRead: isRead, hasTasks: true)
        }
        #expect(steps == [false, false, true])
        #expect(preparation.next(after: 14_000_000) == 14_500_000)
    }

    @Test func nobodyIsWaitedForWhereNobodyReads() {
        var preparation = preparation(hasAudience: false)
        let isOver = preparation.isOver(at: 10_000_000, isRead: true, hasTasks: false)
        #expect(isOver)
    }

    @Test(
        "the end is half a second before the longest delay, or at four fifths of a short one",
        arguments: [
            (5_000_000, 14_500_000), (2_500_000, 12_000_000), (2_000_000, 11_600_000), (5, 10_000_004),
            (UInt64.max, UInt64.max),
        ])
    func end(longest: UInt64, end: UInt64) {
        var preparation = preparation(longest: longest)
        #expect(preparation.next(after: 0) == end)
        let steps = [end - 1, end].map { preparation.isOver(at: $0, isRead: false, hasTasks: true) }
        #expect(steps == [false, true])
    }
}
