// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleService
import Testing

/// Who lets others go first.
@Suite struct UserSharesTests {
    @Test("a user whose calls took more than the allowance lets others go first, until time has given it back")
    func shareIsSpentAndReturned() {
        var shares = UserShares()
        shares.charge(UserShares.allowance, to: 1, at: 1_000)
        #expect(!shares.isSpent(1, at: 1_000))
        shares.charge(1_000, to: 1, at: 1_000)
        #expect(shares.isSpent(1, at: 1_000))
        #expect(!shares.isSpent(2, at: 1_000), "another user has a share of its own")
        #expect(shares.isSpent(1, at: 5_000))
        #expect(!shares.isSpent(1, at: 6_000), "a fifth of the time is given back")
    }

    @Test("what a user owes is forgiven within a second, whatever it was and whatever the clock says")
    func debtIsForgiven() {
        var shares = UserShares()
        for _ in 0..<10 { shares.charge(.max, to: 1, at: 7) }
        #expect(shares.isSpent(1, at: 0))
        #expect(!shares.isSpent(1, at: 1_000_007))
        #expect(!shares.isSpent(1, at: .max))
    }

    @Test("those who owe most are remembered among however many users") func heaviestAreRemembered() {
        var shares = UserShares()
        shares.charge(100_000, to: 0, at: 0)
        for uid in 1...10_000 { shares.charge(10, to: UInt32(uid), at: 0) }
        #expect(shares.isSpent(0, at: 0))
    }
}
