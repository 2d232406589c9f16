// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The processor time that each user's calls have taken recently.
///
/// The connections of a user that has exceeded its share are served after all others. Nothing is refused: without other
/// users, it has the whole processor.
package struct UserShares {
    /// The time that calls may take at once, in microseconds: dozens of calls, or one that reads devices.
    package static let allowance: UInt64 = 4_000
    /// The number of microseconds that pass for one to be returned.
    static let refill: UInt64 = 5
    /// The most that is remembered, in microseconds: it is returned within a second.
    static let memory: UInt64 = 200_000
    /// The users that are remembered; beyond them, those that owe least are forgotten.
    static let users = 64

    private struct Account {
        let uid: UInt32
        var spent: UInt64
        var countedAt: UInt64

        func balance(at now: UInt64) -> UInt64 {
            let returned = (max(now, countedAt) - countedAt) / UserShares.refill
            return spent > returned ? spent - returned : 0
        }
    }

    /// An array, since most buses have the clients of one or two users.
    private var accounts: [Account] = []

    /// Creates empty accounts.
    package init() {}

    /// Charges processor time to a user.
    ///
    /// - Parameters:
    ///   - microseconds: The time.
    ///   - uid: The user.
    ///   - now: The boot clock, in microseconds.
    package mutating func charge(_ microseconds: UInt64, to uid: UInt32, at now: UInt64) {
        let index = index(of: uid)
        let before = index.map { accounts[$0].balance(at: now) } ?? 0
        let account = Account(
            uid: uid, spent: min(Self.memory, before + min(Self.memory, microseconds)), countedAt: now)
        if let index {
            accounts[index] = account
        } else {
            accounts.append(account)
            if accounts.count > Self.users { forgetSmallest(at: now) }
        }
    }

    /// Returns whether a user has exceeded its share.
    package func isSpent(_ uid: UInt32, at now: UInt64) -> Bool {
        index(of: uid).map { accounts[$0].balance(at: now) > Self.allowance } ?? false
    }

    private func index(of uid: UInt32) -> Int? {
        accounts.firstIndex { $0.uid == uid }
    }

    private mutating func forgetSmallest(at now: UInt64) {
        let smallest = accounts.indices.min { accounts[$0].balance(at: now) < accounts[$1].balance(at: now) }
        if let smallest { accounts.remove(at: smallest) }
    }
}
