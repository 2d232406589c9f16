// SPDX-License-Identifier: Apache-2.0

import ReveilleService
import Testing

@Suite struct UserSharesTests {
    @Test("a user that exceeds the allowance has to wait until enough of it is returned over time")
    func shareIsSpentAndReturned() {
        let shares = UserShares.ofProcessor()
        shares.charge(shares.allowance, to: 1, at: 1_000)
        #expect(!shares.isSpent(1, at: 1_000))
        shares.charge(1_000, to: 1, at: 1_000)
        #expect(shares.isSpent(1, at: 1_000))
        #expect(!shares.isSpent(2, at: 1_000), "another user has its own share")
        #expect(shares.isSpent(1, at: 5_000))
        #expect(!shares.isSpent(1, at: 6_000), "a fifth of the elapsed time is returned")
    }

    @Test("any debt of a user ends within a second, at any time of the clock")
    func debtIsForgiven() {
        let shares = UserShares.ofProcessor()
        for _ in 0..<10 { shares.charge(.max, to: 1, at: 7) }
        #expect(shares.isSpent(1, at: 0))
        #expect(!shares.isSpent(1, at: 1_000_007))
        #expect(!shares.isSpent(1, at: .max))
    }

    @Test("the users with the largest debts are remembered among any number of users") func largestDebtsAreRemembered()
    {
        let shares = UserShares.ofProcessor()
        shares.charge(100_000, to: 0, at: 0)
        for uid in 1...10_000 { shares.charge(10, to: UInt32(uid), at: 0) }
        #expect(shares.isSpent(0, at: 0))
    }
}
