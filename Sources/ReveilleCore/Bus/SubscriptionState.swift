// SPDX-License-Identifier: Apache-2.0

/// The identifier of a subscription; a random number, which reveals nothing about other subscriptions.
package struct SubscriptionID: Sendable, Hashable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The name on the wire: 16 hexadecimal digits.
    package var wireName: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Creates the identifier with a name on the wire; `nil` for any other text.
    package init?(wireName: String) {
        // Digits have one notation only.
        let isOurs =
            wireName.utf8.count == 16 && wireName.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
        guard isOurs, let number = UInt64(wireName, radix: 16) else { return nil }
        self.init(rawValue: number)
    }
}

/// The part of a subscription that each delivery reads: the reasons that hold it, and its lists of entries.
///
/// It has no references, since every access to a structure in an array copies it.
struct SubscriptionState {
    let id: SubscriptionID
    /// The numbers of events and changes delivered, without the first reply.
    var events = 0
    var changes = 0
    /// The first of all entries, and the first entry of the "behind" list; -1 if there is none.
    var firstEntry: Int32 = -1
    var firstBehind: Int32 = -1
    var holds: HoldReasons
    var phase = LifecyclePhase.usual
    var isQueued = false
    /// Whether the subscriber has left events unread for long, if that is tracked.
    var isLate = false
    /// Whether an entry may have a policy.
    var hasPolicies = false
    /// Whether its states of the battery have no supply.
    let omitsSupply: Bool
    /// Whether the program ends when it goes to the background.
    ///
    /// No delivery reads it. In a profile, it would take another 8 bytes of each subscription, for alignment.
    let endsInBackground: Bool

    /// Creates a subscription without entries, with an unread first reply.
    init(id: SubscriptionID, omitsSupply: Bool, startsInBackground: Bool, endsInBackground: Bool) {
        self.id = id
        self.omitsSupply = omitsSupply
        self.endsInBackground = endsInBackground
        holds = startsInBackground ? [.unread, .app] : .unread
    }

    var isInBackground: Bool { !holds.isDisjoint(with: .background) }
}

/// The part of a subscription that deliveries do not read.
struct SubscriptionProfile {
    let name: String?
    /// The patterns, and the policies of names that are published later; `nil` without patterns.
    let policies: PolicyTable?
}
