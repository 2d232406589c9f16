// SPDX-License-Identifier: Apache-2.0

package struct SubscriptionRequest: Sendable, Hashable {
    package var aspects: AspectSet
    /// The domains of the settings that are wanted; `nil` for all.
    package var domains: DomainSelection?
    /// Whether states of the battery may have their supply, which strict clients of earlier versions refuse.
    package var wantsSupply: Bool
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
        aspects: AspectSet = .default, domains: DomainSelection? = nil, wantsSupply: Bool = false,
        name: String? = nil, startsInBackground: Bool = false,
        wantsInitial: Bool = false, instance: String? = nil, positions: [Aspect: Int]? = nil,
        policies: [Aspect: Policy] = [:]
    ) {
        self.aspects = aspects
        self.domains = domains
        self.wantsSupply = wantsSupply
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
