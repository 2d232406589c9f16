// SPDX-License-Identifier: Apache-2.0

package struct SubscriptionRequest: Sendable, Hashable {
    package var aspects: AspectSet
    package var name: String?
    /// Whether to start in the background, held by the reason `app`.
    package var startsInBackground: Bool
    /// Whether the first reply contains the current state of each aspect.
    package var wantsInitial: Bool
    /// The bus instance of ``positions``.
    package var instance: String?
    /// The last seen generation of each aspect, to continue from; `nil` to start from now.
    package var positions: [Aspect: Int]?
    /// The policies that differ from the default.
    package var policies: [Aspect: Policy]

    package init(
        aspects: AspectSet = .default, name: String? = nil, startsInBackground: Bool = false,
        wantsInitial: Bool = false, instance: String? = nil, positions: [Aspect: Int]? = nil,
        policies: [Aspect: Policy] = [:]
    ) {
        self.aspects = aspects
        self.name = name
        self.startsInBackground = startsInBackground
        self.wantsInitial = wantsInitial
        self.instance = instance
        self.positions = positions
        self.policies = policies
    }
}

/// The first reply to a ``SubscriptionRequest``.
package struct SubscriptionStart: Sendable, Hashable {
    /// Whether the subscription continues from the positions; `nil` if the request had none.
    package var resumed: Bool?
    /// The initial events, in ascending order of last change.
    package var events: [Event]
}

package struct SubscriptionStatus: Sendable, Hashable {
    /// The most aspects in ``pending`` of all subscriptions together, about 4 MB.
    private static let pendingTotal = 16_384
    /// The number of aspects that each subscription can have in ``pending`` regardless: more than people read.
    private static let pendingMinimum = 32
    /// The most aspects in ``pending``: a reply is written subscription by subscription, and none may take a long turn.
    private static let pendingMaximum = 256

    static func pendingLimit(subscriptions count: Int) -> Int {
        min(pendingMaximum, max(pendingMinimum, pendingTotal / max(1, count)))
    }

    package var id: SubscriptionID
    package var name: String?
    package var aspects: AspectSet
    package var holds: HoldReasons
    package var lifecycle: Lifecycle?
    /// The number of pending changes, for each aspect that has any; of some aspects if there are too many.
    package var pending: [Aspect: Int]
    package var events: Int
    package var changes: Int
}
