// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What a subscriber asks for.
package struct SubscriptionRequest: Sendable, Hashable {
    /// What to be told of.
    package var aspects: AspectSet
    /// A name for people, as `status` shows it.
    package var name: String?
    /// Starts in the background, held by the reason `app`.
    package var startsInBackground: Bool
    /// Wants the current state of each aspect.
    package var wantsInitial: Bool
    /// The bus instance that ``positions`` are of.
    package var instance: String?
    /// The generation last seen of each aspect, to go on from; `nil` for a start from now.
    package var positions: [Aspect: Int]?
    /// What differs from the default policy.
    package var policies: [Aspect: Policy]

    /// Makes a request; without arguments for changes of the default aspects from now on.
    package init(
        aspects: AspectSet = .default, name: String? = nil, startsInBackground: Bool = false,
        wantsInitial: Bool = false,
        instance: String? = nil, positions: [Aspect: Int]? = nil, policies: [Aspect: Policy] = [:]
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

/// The answer to a ``SubscriptionRequest``.
package struct SubscriptionStart: Sendable, Hashable {
    /// Whether the positions were understood; `nil` when none were given.
    package var resumed: Bool?
    /// What was asked for, in ascending order of last change.
    package var events: [Event]
}

/// What people see of a subscription.
package struct SubscriptionStatus: Sendable, Hashable {
    /// Changes of one aspect that wait to be told.
    package struct Pending: Sendable, Hashable {
        /// What changed.
        package var aspect: Aspect
        /// How often, at least once.
        package var changes: Int
    }

    /// Its name on the bus.
    package var id: SubscriptionID
    /// The name that the subscriber gave.
    package var name: String?
    /// What it is told of.
    package var aspects: AspectSet
    /// Why nothing is delivered now.
    package var holds: HoldReasons
    /// The aspects that have changes waiting.
    package var pending: [Pending]
    /// Events delivered so far.
    package var events: Int
    /// Changes that those events stood for.
    package var changes: Int
}
