// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// Whether a subscriber of a random life is late: a model of the bus's rule.
struct Lateness {
    /// Whether a change came while an event was unread, and since when this is so without a hold.
    private var isDue = false
    private var since: UInt64?

    mutating func changeCame(hasUnread: Bool) { isDue = isDue || hasUnread }

    mutating func settle(at now: UInt64, isHeld: Bool) {
        if isDue, !isHeld, since == nil { since = now }
    }

    mutating func read() { (isDue, since) = (false, nil) }

    func isLate(at now: UInt64) -> Bool { since.map { $0 + LateReaders.patience <= now } ?? false }
}
