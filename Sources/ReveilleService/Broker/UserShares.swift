// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// How much of the service's time each user's calls have taken lately.
///
/// A user who has had more than a fair share lets all others go first, on every connection. Nothing is refused: with
/// nobody else there, it has the whole processor.
package struct UserShares {
    /// How much time calls may take at once, in microseconds: a burst of some dozens, or one that reads devices.
    package static let allowance: UInt64 = 4_000
    /// One in so many microseconds is given back as time passes.
    static let refill: UInt64 = 5
    /// The most that is remembered, in microseconds: what lies a second back is forgiven.
    static let memory: UInt64 = 200_000
    /// Users that are remembered; beyond them, those who owe least are forgotten.
    static let users = 64

    private struct Account {
        var spent: UInt64
        var countedAt: UInt64

        func balance(at now: UInt64) -> UInt64 {
            let returned = (max(now, countedAt) - countedAt) / UserShares.refill
            return spent > returned ? spent - returned : 0
        }
    }

    private var accounts: [UInt32: Account] = [:]

    /// Nobody has had anything yet.
    package init() {}

    /// Counts time that a user's calls have taken.
    ///
    /// - Parameters:
    ///   - microseconds: How long they took.
    ///   - uid: Whose they were.
    ///   - now: A time that only goes forward, in microseconds.
    package mutating func charge(_ microseconds: UInt64, to uid: UInt32, at now: UInt64) {
        let before = accounts[uid]?.balance(at: now) ?? 0
        accounts[uid] = Account(spent: min(Self.memory, before + min(Self.memory, microseconds)), countedAt: now)
        guard accounts.count > Self.users else { return }
        accounts.min { $0.value.balance(at: now) < $1.value.balance(at: now) }.map { accounts[$0.key] = nil }
    }

    /// Whether a user has had more than its share.
    package func isSpent(_ uid: UInt32, at now: UInt64) -> Bool {
        (accounts[uid]?.balance(at: now) ?? 0) > Self.allowance
    }
}
