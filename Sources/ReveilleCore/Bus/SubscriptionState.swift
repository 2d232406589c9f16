// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The identifier of a subscription; a random number, which reveals nothing about other subscriptions.
package struct SubscriptionID: Sendable, Hashable {
    /// The number.
    package let rawValue: UInt64

    /// Creates an identifier.
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// A subscription: its name, the reasons that hold it, and its lists of entries.
///
/// It is a class because each delivery looks at several of its fields: as a structure in an array, it was copied for
/// each, with its name and its policies.
final class SubscriptionState {
    let id: SubscriptionID
    let name: String?
    /// The patterns, and the policies of names that are published later; `nil` without patterns.
    let policies: PolicyTable?
    /// The numbers of events and changes delivered, without the first reply.
    var events = 0
    var changes = 0
    /// The first of all entries, and the first of those that are behind; -1 if there is none.
    var firstEntry: Int32 = -1
    var firstBehind: Int32 = -1
    var holds: HoldReasons
    /// Whether the subscription is in the bus's `ready` queue.
    var isQueued = false
    /// Whether an entry may have a policy.
    var hasPolicies = false

    /// Creates a subscription without entries, with an unread first reply.
    init(_ request: SubscriptionRequest, id: SubscriptionID, _ policies: PolicyTable) {
        self.id = id
        name = request.name
        holds = request.startsInBackground ? [.unread, .app] : .unread
        self.policies = policies.patterns.isEmpty ? nil : policies
    }

    var isInBackground: Bool { !holds.isDisjoint(with: .background) }
}
