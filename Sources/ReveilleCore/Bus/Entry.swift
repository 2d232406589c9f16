// SPDX-License-Identifier: Apache-2.0

/// One aspect of one subscription, in the bus's `entries`.
///
/// An entry is in one of two lists. If the next change affects it, it is a listener of its aspect's log. Otherwise, it
/// is behind: its subscription has a change of the aspect to take. An entry that waits for the interval of its policy
/// is also behind, but in `paced` instead of the list. So a change costs time only for subscriptions that have taken
/// the previous change, and a subscription that wakes looks only at changed aspects.
///
/// An entry takes 32 bytes, since a bus can have a million of them: a thousand names for a thousand patterns.
struct Entry {
    private static let literalFlag: Int32 = 1
    private static let behindFlag: Int32 = 2
    private static let ownFlag: Int32 = 4
    private static let flagCount: Int32 = 3

    /// The change that the subscriber last saw; `nil` only in an unused entry.
    var seen: Change?
    let log: Int32
    /// The index of the subscription in `slots`.
    let slot: Int32
    /// The neighbors in the list of the subscription's entries; -1 at its ends.
    var next: Int32 = -1
    var previous: Int32 = -1
    /// The index in the log's `listeners`; for an entry that is behind, the next entry in the "behind" list, or -1.
    var link: Int32 = -1
    /// The index of the policy, and three flags in the lowest bits.
    private var policyAndFlags: Int32

    init(seen: Change, log: Int32, slot: Int32, policy: Int32, isLiteral: Bool, isOwn: Bool) {
        self.seen = seen
        self.log = log
        self.slot = slot
        policyAndFlags = policy << Self.flagCount | (isLiteral ? Self.literalFlag : 0) | (isOwn ? Self.ownFlag : 0)
    }

    /// The index of the policy; -1 for the default, which saves memory for thousands of subscriptions.
    var policy: Int32 { policyAndFlags >> Self.flagCount }

    /// Whether the subscription gave the aspect's own name, and not only a pattern.
    var isLiteral: Bool { policyAndFlags & Self.literalFlag != 0 }

    /// Whether the aspect is the subscription's own lifecycle, the first event of a reply.
    var isOwn: Bool { policyAndFlags & Self.ownFlag != 0 }

    var isBehind: Bool { policyAndFlags & Self.behindFlag != 0 }

    /// Puts an unlisted entry at a place among the listeners of its log.
    mutating func listen(at place: Int) {
        policyAndFlags &= ~Self.behindFlag
        link = Int32(place)
    }

    /// Puts an unlisted entry before another entry in the "behind" list, or before its end (-1).
    mutating func fallBehind(before next: Int32) {
        policyAndFlags |= Self.behindFlag
        link = next
    }
}
