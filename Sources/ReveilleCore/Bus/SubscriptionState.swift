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
struct SubscriptionState {
    /// A pattern, and the policy of the names that it matches.
    struct Pattern {
        let aspect: Aspect
        let policy: Policy
    }

    let id: SubscriptionID
    let name: String?
    /// The patterns, the longest first.
    let patterns: [Pattern]
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
    init(_ request: SubscriptionRequest, id: SubscriptionID) {
        self.id = id
        name = request.name
        holds = request.startsInBackground ? [.unread, .app] : .unread
        patterns = request.aspects.names.filter(\.isPattern)
            .sorted { ($1.name.utf8.count, $0) < ($0.name.utf8.count, $1) }
            .map { Pattern(aspect: $0, policy: request.policies[$0] ?? Policy()) }
    }

    var isInBackground: Bool { !holds.isDisjoint(with: .background) }

    /// Returns the policy of a name that the subscription has only by its patterns.
    func patternPolicy(of name: Aspect) -> Policy {
        patterns.first { $0.aspect.matches(name) }?.policy ?? Policy()
    }
}
