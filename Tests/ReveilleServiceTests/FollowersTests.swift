// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@testable import ReveilleService

@Suite struct FollowersTests {
    private let first = SubscriptionID(rawValue: 1)
    private let second = SubscriptionID(rawValue: 2)

    @Test("B211: each follower is sent the changes since its own last reply, once")
    func followersAreIndependent() {
        var followers = Followers()
        followers.begin(7)
        #expect(followers.note { $0.begin(first) } == true)
        followers.begin(3)
        #expect(followers.note { $0.change(second) } == true)
        #expect(followers.takeOutdated() == [3, 7])
        #expect(followers.takeChanges(for: 7).current == [first, second])
        #expect(followers.takeOutdated() == [3])
        #expect(followers.takeChanges(for: 3).current == [second])
        #expect(followers.takeChanges(for: 3).current == [])
        #expect(followers.takeOutdated() == [])
    }

    @Test("without followers, nothing is kept, and a later follower is sent nothing old")
    func nothingIsKeptWithoutFollowers() {
        var followers = Followers()
        #expect(followers.note { $0.begin(first) } == false)
        followers.begin(1)
        _ = followers.note { $0.begin(first) }
        followers.end(1)
        #expect(followers.isEmpty)
        followers.begin(2)
        #expect(followers.takeOutdated() == [])
        #expect(followers.takeChanges(for: 2).current == [])
        // A call that has ended has no reply.
        #expect(followers.takeChanges(for: 1).current == [])
    }
}
