// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@testable import ReveilleWatchers

@Suite struct FolderAttentionTests {
    private static let start = Instant(microseconds: 7_000_000)

    /// How often a folder wakes the bus in a time, if it changes at intervals; a pause that ends is a wake-up too.
    private func wakes(
        every interval: Duration, for time: Duration, isFruitful: Bool
    ) -> (minutes: [Int], left: Duration) {
        var attention = FolderAttention(at: Self.start)
        var now = Self.start
        var minutes = Array(repeating: 0, count: Int(time / .seconds(60)))
        var left: Duration = .zero
        while now - Self.start < time {
            let minute = Int((now - Self.start) / .seconds(60))
            if let end = attention.leftUntil {
                if end <= now {
                    attention.resume(at: now)
                    minutes[minute] += 1
                } else {
                    left += interval
                }
            }
            if attention.leftUntil == nil {
                minutes[minute] += 1
                if !attention.notice(at: now), isFruitful { attention.reward() }
            }
            now = now + interval
        }
        return (minutes, left)
    }

    @Test func folderThatChangesWithoutSettingsIsLeftAfterTenBursts() {
        var attention = FolderAttention(at: Self.start)
        var now = Self.start
        for _ in 0..<10 {
            let isLeft = attention.notice(at: now)
            #expect(!isLeft)
            now = now + .seconds(1)
        }
        let last = attention.notice(at: now)
        #expect(last)
        // A whole minute, at which other pauses end too.
        #expect(attention.leftUntil == Instant(microseconds: 540_000_000))
        let again = attention.notice(at: now + .seconds(1))
        #expect(!again)
    }

    @Test(arguments: [1, 5, 20, 60])
    func foldersThatChangeAllTheTimeWakeTheBusLessThanOnceInTwoMinutes(seconds: Int) {
        let wakes = wakes(every: .seconds(seconds), for: .seconds(4 * 3_600), isFruitful: false)
        let later = wakes.minutes.dropFirst(5)
        #expect(later.reduce(0, +) * 2 < later.count, "\(wakes.minutes)")
    }

    @Test func quietFoldersAreNeverLeft() {
        for (seconds, isFruitful) in [(240, false), (600, false), (60, true), (600, true)] {
            let wakes = wakes(every: .seconds(seconds), for: .seconds(86_400), isFruitful: isFruitful)
            #expect(wakes.left == .zero, "\(seconds)")
        }
    }

    @Test func settingsThatChangeAllTheTimeAreReadAtGrowingIntervals() {
        let wakes = wakes(every: .seconds(2), for: .seconds(7_200), isFruitful: true)
        #expect(wakes.minutes[0] == 30)
        #expect(wakes.minutes.dropFirst(60).reduce(0, +) < 30, "\(wakes.minutes)")
    }

    @Test func draggedSliderIsOneBurstInHalfASecond() {
        var attention = FolderAttention(at: Self.start)
        for tenth in 0..<150 {
            let isLeft = attention.notice(at: Self.start + .milliseconds(100 * tenth))
            #expect(!isLeft, "\(tenth)")
            attention.reward()
        }
    }

    @Test func quietFolderIsTrustedAgain() throws {
        var attention = FolderAttention(at: Self.start)
        var pauses: [Duration] = []
        var now = Self.start
        func leave() throws {
            while !attention.notice(at: now) { now = now + .seconds(1) }
            let end = try #require(attention.leftUntil)
            pauses.append(end - now)
            now = end
            attention.resume(at: now)
        }
        for _ in 0..<7 { try leave() }
        // As long as credit takes to be restored.
        now = now + .seconds(20 * 120)
        try leave()
        let expected = [8, 16, 32, 32, 32, 32, 32, 8]
        for (pause, minutes) in zip(pauses, expected) {
            #expect((Duration.seconds(60 * minutes)...Duration.seconds(60 * minutes + 60)).contains(pause), "\(pauses)")
        }
    }
}
