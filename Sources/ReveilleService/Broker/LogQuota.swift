// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// How many lines the peers of each user may cause in the log: a few at once, then one a second.
///
/// A peer can connect and send garbage ten thousand times a second. What is left out is counted, and the next line
/// says how much it was.
struct LogQuota {
    /// Lines at once: enough to see what is wrong with a program that is being written.
    static let burst = 20
    /// The time that one more line takes, in microseconds.
    static let interval: UInt64 = 1_000_000
    /// Users that are remembered; beyond them, those who have been quiet for longest are forgotten.
    static let users = 64

    private struct Account {
        var lines: Int
        var countedAt: UInt64
        var omitted = 0
    }

    private var accounts: [UInt32: Account] = [:]

    /// Asks for one line.
    ///
    /// - Parameters:
    ///   - uid: The user whose peer causes it.
    ///   - now: A time that only goes forward, in microseconds.
    /// - Returns: How many lines were left out since the last one; `nil` when this one is left out too.
    mutating func admit(_ uid: UInt32, at now: UInt64) -> Int? {
        var account = accounts[uid] ?? Account(lines: Self.burst, countedAt: now)
        let earned = (max(now, account.countedAt) - account.countedAt) / Self.interval
        account.lines = min(Self.burst, account.lines + Int(min(earned, UInt64(Self.burst))))
        account.countedAt += earned * Self.interval
        defer {
            accounts[uid] = account
            forgetQuietest()
        }
        guard account.lines > 0 else {
            account.omitted += 1
            return nil
        }
        account.lines -= 1
        defer { account.omitted = 0 }
        return account.omitted
    }

    private mutating func forgetQuietest() {
        guard accounts.count > Self.users else { return }
        accounts.min { $0.value.countedAt < $1.value.countedAt }.map { accounts[$0.key] = nil }
    }
}
