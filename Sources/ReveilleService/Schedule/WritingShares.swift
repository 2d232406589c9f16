// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What each user's changes of the schedule have written recently.
///
/// A user may write a burst, and after it a megabyte a second: one byte is paid off in a microsecond. Further changes wait,
/// and those of other users do not.
struct WritingShares {
    /// The bytes that may be written at once: hundreds of entries with long values.
    static let burst: UInt64 = 1 << 20

    /// The time at which each user has paid everything off, in microseconds of the boot clock.
    private var paid: [UInt32: UInt64] = [:]

    /// Charges written bytes to a user.
    mutating func charge(_ bytes: Int, to user: UInt32, at now: UInt64) {
        paid = paid.filter { $0.value > now }
        paid[user] = max(now, paid[user] ?? 0) + UInt64(bytes)
    }

    /// Returns how long a user's next change has to wait, in microseconds.
    func wait(of user: UInt32, at now: UInt64) -> UInt64 {
        let paid = paid[user] ?? 0
        return paid > now + Self.burst ? paid - now - Self.burst : 0
    }
}
