// SPDX-License-Identifier: Apache-2.0

/// The treatment of an aspect's changes while the subscriber is in the background.
public struct Policy: Sendable, Hashable {
    /// The treatment of changes in the background.
    @nonexhaustive public enum Background: Sendable, Hashable {
        /// Merge them into one event.
        case coalesce
        /// Keep the latest changes, up to a limit, and deliver each as an event of its own on wake, the oldest first.
        ///
        /// The limit is from 1 to the number of changes that the bus keeps of an aspect: 256, or `bus.history` in its
        /// configuration. ``Event/droppedCount`` of the first event is the number of older changes. Subscribing with
        /// another limit fails with the code `invalidArgument`.
        case hold(limit: Int)
        /// Discard them.
        case drop
        /// Deliver them immediately, except to a frozen process.
        case immediate
        /// End the program: only for the aspect `lifecycle`.
        ///
        /// Once all subscriptions of the process are in the background and its tasks have ended, `terminating` is
        /// delivered, and then SIGTERM sent, unless the program returns to the foreground within five seconds.
        case end
    }

    /// The treatment of changes in the background.
    public var background: Background
    /// Whether to omit an event whose value is the one that the subscriber received last; by default it is delivered.
    ///
    /// The value has then changed and changed back, in the background, within an ``interval`` or before the subscriber
    /// has read. Such an event has ``Event/isNetChange`` `false`. The next event that is delivered counts its changes
    /// in ``Event/changeCount``.
    public var netChangeOnly: Bool
    /// The shortest time between two events of the aspect; `nil` for no limit.
    ///
    /// Earlier changes are merged into the next event. At least a millisecond, and at most a year.
    public var interval: Duration?

    /// Creates a policy, by default a new subscription's.
    ///
    /// A subscription with ``Background/end`` for an aspect other than `lifecycle` is refused, and so is one with
    /// ``Background/drop``, ``Background/hold(limit:)`` or ``Background/immediate`` for `lifecycle`.
    public init(background: Background = .coalesce, netChangeOnly: Bool = false, interval: Duration? = nil) {
        self.background = background
        self.netChangeOnly = netChangeOnly
        self.interval = interval
    }
}

/// The policies of a subscription, and the rule that chooses an aspect's policy.
///
/// An aspect's own policy takes precedence over a pattern's, and a longer pattern over a shorter one.
package final class PolicyTable: Sendable {
    package let patterns: [Aspect]
    private let policies: [Aspect: Policy]
    /// The patterns with a policy, the longest first.
    private let patternsWithPolicy: [Aspect]
    /// The names and patterns at which a subscriber in the background begins to want each change (1), or ceases to (-1).
    package let steps: [(aspect: Aspect, step: Int)]

    package init(_ policies: [Aspect: Policy], of aspects: AspectSet) {
        self.policies = policies
        patterns = aspects.names.filter(\.isPattern).sorted()
        let longest = patterns.filter { policies[$0] != nil }.sorted { $0.name.utf8.count > $1.name.utf8.count }
        patternsWithPolicy = longest
        steps = policies.compactMap { aspect, policy in
            let outer = longest.first { $0 != aspect && $0.spans(aspect) }.flatMap { policies[$0] } ?? Policy()
            let isStep = aspect.builtIn == nil && policy.keepsChanges != outer.keepsChanges && aspects.covers(aspect)
            return isStep ? (aspect, policy.keepsChanges ? 1 : -1) : nil
        }
    }

    /// Returns the policy of an aspect, of a name, or of the names of a pattern that have no policy of their own.
    package subscript(aspect: Aspect) -> Policy {
        policies[aspect] ?? patternsWithPolicy.first { $0.spans(aspect) }.flatMap { policies[$0] } ?? Policy()
    }
}

extension Policy {
    /// Whether a subscriber in the background wants each change.
    var keepsChanges: Bool {
        switch background {
        case .immediate, .hold: true
        case .coalesce, .drop, .end: false
        }
    }
}
