// SPDX-License-Identifier: Apache-2.0

/// The policies of a subscription, and the rule that chooses an aspect's policy.
///
/// An aspect's own policy takes precedence over a pattern's, and a longer pattern over a shorter one.
package final class PolicyTable: Sendable {
    package let patterns: [Aspect]
    private let policies: [Aspect: Policy]
    /// The patterns with a policy, the longest first.
    private let patternsWithPolicy: [Aspect]

    package init(_ policies: [Aspect: Policy], of aspects: AspectSet) {
        self.policies = policies
        patterns = aspects.names.filter(\.isPattern).sorted()
        patternsWithPolicy = patterns.filter { policies[$0] != nil }
            .sorted { $0.name.utf8.count > $1.name.utf8.count }
    }

    /// Returns the policy of an aspect, a name or one of the patterns.
    package subscript(aspect: Aspect) -> Policy {
        policies[aspect] ?? patternsWithPolicy.first { $0.matches(aspect) }.flatMap { policies[$0] } ?? Policy()
    }
}
