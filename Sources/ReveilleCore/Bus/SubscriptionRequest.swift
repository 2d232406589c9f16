// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What a subscriber asks for.
public struct SubscriptionRequest: Sendable, Hashable {
    /// What to be told of.
    public var aspects: AspectSet
    /// A name for people, as `status` shows it.
    public var name: String?
    /// Starts in the background, held by the reason `app`.
    public var startsInBackground: Bool
    /// Wants the current state of each aspect.
    public var wantsInitial: Bool
    /// The bus instance that ``positions`` are of.
    public var instance: String?
    /// The generation last seen of each aspect, to go on from; `nil` for a start from now.
    public var positions: [Aspect: Int]?
    /// What differs from the default policy.
    public var policies: [Aspect: Policy]

    /// Makes a request; without arguments for changes of all five aspects from now on.
    public init(
        aspects: AspectSet = .all, name: String? = nil, startsInBackground: Bool = false, wantsInitial: Bool = false,
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
public struct SubscriptionStart: Sendable, Hashable {
    /// Whether the positions were understood; `nil` when none were given.
    public var resumed: Bool?
    /// What was asked for, in ascending order of last change.
    public var events: [Event]
}

/// What people see of a subscription.
public struct SubscriptionStatus: Sendable, Hashable {
    /// Changes of one aspect that wait to be told.
    public struct Pending: Sendable, Hashable {
        /// What changed.
        public var aspect: Aspect
        /// How often, at least once.
        public var changes: Int
    }

    /// Its name on the bus.
    public var id: SubscriptionID
    /// The name that the subscriber gave.
    public var name: String?
    /// What it is told of.
    public var aspects: AspectSet
    /// Why nothing is delivered now.
    public var holds: HoldReasons
    /// The aspects that have changes waiting.
    public var pending: [Pending]
    /// Events delivered so far.
    public var events: Int
    /// Changes that those events stood for.
    public var changes: Int
}
