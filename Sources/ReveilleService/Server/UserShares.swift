// SPDX-License-Identifier: Apache-2.0

/// The recent use of a resource by each user, a debt that time pays off.
package final class UserShares {
    /// The largest number of users that are remembered; beyond it, the users that owe least are forgotten.
    private static let users = 64

    /// The amount that may be used at once.
    package let allowance: UInt64
    /// The time in microseconds that pays for one unit.
    private let price: UInt64
    /// The largest amount that is remembered.
    private let memory: UInt64
    /// The times of the boot clock when users will have paid for everything, in microseconds.
    ///
    /// An array, since most buses have the clients of one or two users.
    private var accounts: [(user: UInt32, paid: UInt64)] = []

    private init(allowance: UInt64, price: UInt64, memory: UInt64) {
        (self.allowance, self.price, self.memory) = (allowance, price, memory)
    }

    /// Creates shares of the processor, in microseconds that calls have taken.
    ///
    /// The connections of a user that has exceeded its share are served after all others. Nothing is refused: without
    /// other users, a user has the whole processor. At once, there is room for dozens of calls, or for one call that
    /// reads devices. A fifth of the elapsed time is returned, and any debt within a second.
    package static func ofProcessor() -> UserShares { UserShares(allowance: 4_000, price: 5, memory: 200_000) }

    /// Creates shares of the log, in lines: one line is always possible.
    ///
    /// Beyond it, a program under development may log enough at once for debugging, then a line a second.
    static func ofLog() -> UserShares { UserShares(allowance: 19, price: 1_000_000, memory: 20) }

    /// Creates shares of the schedule's file, in bytes: at once hundreds of entries with long values, then a megabyte a
    /// second; a minute of it is remembered.
    static func ofSchedule() -> UserShares { UserShares(allowance: 1 << 20, price: 1, memory: 60_000_000) }

    package func charge(_ amount: UInt64, to user: UInt32, at now: UInt64) {
        let index = accounts.firstIndex { $0.user == user }
        let before = index.map { max(now, accounts[$0].paid) } ?? now
        let paid = min(before + price * min(amount, memory), now + price * memory)
        if let index {
            accounts[index].paid = paid
        } else {
            accounts.append((user, paid))
            if accounts.count > Self.users { forgetSmallest() }
        }
    }

    /// Returns how long a user will exceed its share, in microseconds; 0 if the user is within it.
    func excess(of user: UInt32, at now: UInt64) -> UInt64 {
        guard let account = accounts.first(where: { $0.user == user }) else { return 0 }
        let end = now.addingReportingOverflow(price * allowance)
        return end.overflow || account.paid <= end.partialValue ? 0 : account.paid - end.partialValue
    }

    package func isSpent(_ user: UInt32, at now: UInt64) -> Bool { excess(of: user, at: now) > 0 }

    private func forgetSmallest() {
        let smallest = accounts.indices.min { accounts[$0].paid < accounts[$1].paid }
        if let smallest { accounts.remove(at: smallest) }
    }
}
