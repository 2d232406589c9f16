// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore

/// The options of a subscription, for ``Device/subscribe(to:options:)`` and all calls that follow an aspect.
///
/// ```swift
/// let options = SubscriptionOptions(policies: [.motion: Policy(interval: .milliseconds(20))], name: "tilt")
/// for try await motion in device.updates(of: .motion, options: options) { print(motion) }
/// ```
public struct SubscriptionOptions: Sendable, Hashable {
    /// Whether the current state of each aspect is delivered first, as an event whose `Event.changeCount` is 0; updates and
    /// monitors always begin with it.
    public var initial: Bool
    /// The treatment of an aspect's changes in the background, and the pace of its events.
    ///
    /// The key is an aspect, a name or a pattern. By default, changes in the background are merged into one event.
    public var policies: [Aspect: Policy]
    /// The positions of an earlier subscription of any process: the changes since then are delivered first.
    ///
    /// A bus that does not know the positions delivers every state instead.
    public var resume: Positions?
    /// A display name, as `reveille status` shows it; by default the value of `REVEILLE_NAME`, which `reveille run --name`
    /// sets, or for observers the aspect.
    public var name: String?
    /// Whether nothing is delivered before ``Subscription/enterForeground()``, or that of the device, except the state that
    /// ``initial`` asks for.
    public var background: Bool
    /// The domains of the settings to which `defaults` is limited, at most 64; `nil` for all.
    ///
    /// A name, `app/*` for all that begin so, or `dconf:/org/gnome/desktop/interface/` for a directory of keys. Changes of
    /// other domains are neither delivered nor counted.
    public var domains: [String]?

    /// Creates options, by default those of a new subscription.
    public init(
        initial: Bool = false, policies: [Aspect: Policy] = [:], resume: Positions? = nil, name: String? = nil,
        background: Bool = false, domains: [String]? = nil
    ) {
        self.initial = initial
        self.policies = policies
        self.resume = resume
        self.name = name
        self.background = background
        self.domains = domains
    }

    var beginningWithState: SubscriptionOptions {
        var options = self
        options.initial = true
        return options
    }

    /// The request for some aspects, whose positions and domains are checked.
    func request(for aspects: AspectSet, name: String?) throws(ReveilleError) -> SubscriptionRequest {
        let domains = try DomainSelection(checking: domains, for: aspects)
        let request = SubscriptionRequest(
            aspects: aspects, domains: domains, name: self.name ?? name, startsInBackground: background,
            wantsInitial: initial, instance: resume?.instance, positions: resume?.generations(for: domains?.words),
            policies: policies)
        try request.check()
        return request
    }
}
