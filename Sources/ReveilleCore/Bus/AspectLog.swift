// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The publisher of a name.
package struct Publisher: Sendable, Hashable {
    /// The user who published the state.
    package var user: UInt32
    /// The connection whose end withdraws the state; `nil` for a state that stays.
    package var connection: UInt64?

    /// Creates a publisher.
    package init(user: UInt32, connection: UInt64? = nil) {
        self.user = user
        self.connection = connection
    }
}

/// An aspect on the bus: its changes, their origin, and the subscriptions that have seen them.
struct AspectLog {
    /// The origin of the state of an aspect of the device.
    struct Origin {
        /// The last reading of the aspect's own source.
        var own: Reading?
        /// Whether the state was posted.
        var isPosted = false
        /// Whether a client has received the state.
        var wasReturned = false
        /// The digest of the saved state, until the source is read: only then is it known whether the state is the same.
        var digest: UInt64?
    }

    let aspect: Aspect
    var changes: ChangeLog
    var origin = Origin()
    /// The last publisher of a name; `nil` for other aspects, and for names that have not been published.
    var publisher: Publisher?
    /// The entries that the next change affects; all others of the aspect are behind already.
    var listeners: [Int32] = []
    /// The number of entries of the aspect.
    var entryCount = 0
    /// The number of subscriptions that gave the aspect's own name.
    var literalCount = 0

    /// Whether the aspect is a name that a program publishes now.
    var isLive: Bool { changes.current.reading.published?.bytes != nil }

    /// Whether nobody would miss the log: the name was withdrawn, no subscription gave it, and all have seen that.
    var isUnwanted: Bool {
        aspect.isPublished && !isLive && literalCount == 0 && listeners.count == entryCount
    }
}

/// One aspect of one subscription, in the bus's `entries`.
///
/// An entry is in one of two lists. If the next change affects it, it is a listener of its aspect's log. Otherwise, it is
/// behind: its subscription has a change of the aspect to take. So a change costs time only for subscriptions that have
/// taken the last one, and a subscription that wakes looks only at the aspects that changed.
struct Entry {
    /// The change that the subscriber last saw; `nil` only in an unused entry.
    var seen: Change?
    /// The index of the log.
    let log: Int32
    /// The index of the subscription in `slots`.
    let slot: Int32
    /// The neighbors in the list of the subscription's entries; -1 at its ends.
    var next: Int32 = -1
    var previous: Int32 = -1
    /// The index in the log's `listeners`; of an entry that is behind, the next one that is, or -1.
    var link: Int32 = -1
    /// The index of the policy; -1 for the default, which saves memory for thousands of subscriptions.
    var policy: Int32
    /// Whether the subscription gave the aspect's own name, and not only a pattern.
    let isLiteral: Bool
    var isBehind = false
}
