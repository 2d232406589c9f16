// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleService

@Suite struct LastingCallsTests {
    @Test("a call that is outdated twice has one reply, and is due once, oldest first")
    func outdatedCallsHaveOneReply() {
        var calls = LastingCalls()
        #expect([5, 2, 5].map { calls.outdate($0, isDue: true) } == [true, true, false])
        #expect(calls.takeDue() == [2, 5])
        #expect(calls.takeDue() == [])
        #expect(calls.isOutdated(2))
        #expect([2, 2].map { calls.remove($0) } == [true, false])
        #expect(!calls.isEmpty)
        #expect([5].map { calls.remove($0) } == [true])
        #expect(calls.isEmpty)
    }

    @Test("a call that waits for a turn of its own is outdated, and not due")
    func callsWithTurnsOfTheirOwnAreNotDue() {
        var calls = LastingCalls()
        #expect([false, true].map { calls.outdate(1, isDue: $0) } == [true, false])
        #expect(calls.takeDue() == [])
        #expect(calls.isOutdated(1))
    }
}
