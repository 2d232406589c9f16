// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging

/// The log, and the lines that the peers of each user may cause in it: a few at once, then one a second.
///
/// A peer can connect and send garbage ten thousand times a second. Omitted lines are counted, and the next line states
/// the count.
struct PeerLog {
    /// The lines at once: enough to debug a program under development.
    static let burst = 20
    /// The time that one more line takes, in microseconds.
    static let interval: UInt64 = 1_000_000
    /// The users that are remembered; beyond them, those that have been quiet longest are forgotten.
    static let users = 64

    private struct Account {
        var lines: Int
        var countedAt: UInt64
        var omitted = 0
    }

    let logger: Logger
    private var accounts: [UInt32: Account] = [:]

    init(_ logger: Logger) { self.logger = logger }

    /// Requests one line, and returns the number of lines omitted since the last one; `nil` if this one is omitted too.
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
