// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@testable import ReveilleService

@Suite struct SleepDelayTests {
    @Test("announcements are followed while there are tasks, and five seconds longer")
    func announcementsAreFollowedAWhileLonger() {
        var delay = SleepDelay()
        func advance(to now: UInt64, hasTasks: Bool) {
            _ = delay.advance(to: now, hasTasks: hasTasks) { _ in false }
        }
        advance(to: 0, hasTasks: false)
        #expect(!delay.isFollowing)
        advance(to: 1, hasTasks: true)
        #expect(delay.isFollowing && delay.isWanted && delay.next(after: 1) == nil)
        advance(to: 10, hasTasks: false)
        #expect(delay.isFollowing && !delay.isWanted)
        #expect(delay.next(after: 10) == 10 + SleepDelay.linger)
        advance(to: 10 + SleepDelay.linger - 1, hasTasks: false)
        #expect(delay.isFollowing)
        advance(to: 10 + SleepDelay.linger, hasTasks: false)
        #expect(!delay.isFollowing && delay.next(after: 10 + SleepDelay.linger) == nil)
    }

    @Test("a task that begins in these five seconds is followed to its own end")
    func nextTaskIsFollowed() {
        var delay = SleepDelay()
        for (now, hasTasks) in [(0, true), (10, false), (20, true), (10 + SleepDelay.linger, true)] as [(UInt64, Bool)]
        {
            _ = delay.advance(to: now, hasTasks: hasTasks) { _ in false }
        }
        #expect(delay.isFollowing && delay.isWanted)
    }

    @Test("the machine may sleep once the audience has read, had time to begin tasks, and the tasks have ended")
    func audienceAndTasksAreWaitedFor() {
        var delay = SleepDelay()
        #expect(delay.announce(longestDelay: 5_000_000) == true)
        delay.delay(atMost: 5_000_000, for: [1, 2], at: 0)
        #expect(delay.advance(to: 1, hasTasks: false) { $0 == 2 } == nil)
        #expect(delay.audience == [2])
        #expect(delay.advance(to: 100, hasTasks: false) { _ in false } == nil)
        let answered = 100 + SleepPreparation.answerTime
        #expect(delay.next(after: 100) == answered)
        #expect(delay.advance(to: answered, hasTasks: true) { _ in false } == nil)
        #expect(delay.advance(to: answered + 1, hasTasks: false) { _ in false } != nil)
        #expect(delay.preparation == nil)
    }

    @Test("of two announcements of a sleep, the second begins none; the end of the sleep lets another begin")
    func secondAnnouncementBeginsNothing() {
        var delay = SleepDelay()
        #expect(delay.announce(longestDelay: 5_000_000) == true)
        delay.delay(atMost: 5_000_000, for: [1], at: 0)
        #expect(delay.announce(longestDelay: 5_000_000) == false)
        #expect(delay.audience == [1] && delay.preparation != nil)
        #expect(delay.announce(longestDelay: nil) == false)
        #expect(delay.audience.isEmpty && delay.preparation == nil)
        #expect(delay.announce(longestDelay: 5_000_000) == true)
    }
}
