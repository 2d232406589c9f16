// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

@testable import ReveilleService

/// The replies to GetState that are kept.
@Suite struct StateRepliesTests {
    @Test("replies are kept by aspects, names and patterns until the next change")
    func repliesAreKept() {
        var replies = StateReplies()
        replies.keep([1], for: [.battery, "org.example.volume"])
        replies.keep([2], for: [.battery, "org.example.*"])
        #expect(replies[["org.example.volume", .battery]] == [1])
        #expect(replies[[.battery, "org.example.*"]] == [2])
        #expect(replies[.battery] == nil)
        replies.discardAll()
        #expect(replies[[.battery, "org.example.*"]] == nil)
    }

    @Test("any number of different questions keeps a few replies") func repliesAreFew() throws {
        var replies = StateReplies()
        let sets = try (0..<10_000).map { AspectSet(try #require(Aspect("org.example.n\($0)"))) }
        for (number, set) in sets.enumerated() {
            replies.keep([UInt8(truncatingIfNeeded: number)], for: set)
            #expect(replies[set] == [UInt8(truncatingIfNeeded: number)])
        }
        let kept = sets.count { replies[$0] != nil }
        #expect((1...StateReplies.limit).contains(kept))
    }

    @Test("long replies take a limited amount of memory, and the longest is kept alone") func longRepliesAreFew() {
        var replies = StateReplies()
        let half = [UInt8](repeating: 0, count: StateReplies.sizeLimit / 2)
        replies.keep(half, for: .battery)
        replies.keep(half, for: .locale)
        #expect(replies[.battery] == half)
        replies.keep([1], for: .proximity)
        #expect(replies[.battery] == nil)
        replies.keep(half + half + half, for: .defaults)
        #expect(replies[.proximity] == nil)
        #expect(replies[.defaults] == half + half + half)
    }
}
