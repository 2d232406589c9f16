// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The policies of a subscription, and the rule that determines which of them an aspect has.
///
/// An aspect's own policy goes before that of a pattern, and that of a longer pattern before that of a shorter one. A
/// pattern without a policy has the default one.
package struct PolicyTable: Sendable {
    private struct Pattern {
        let aspect: Aspect
        let policy: Policy
    }

    /// The policies of aspects and names.
    private let own: [Aspect: Policy]
    /// The patterns, the longest first.
    private let ofPatterns: [Pattern]

    /// Creates the policies of a subscription.
    ///
    /// - Parameters:
    ///   - policies: The policies that differ from the default.
    ///   - aspects: The aspects of the subscription.
    package init(_ policies: [Aspect: Policy] = [:], of aspects: AspectSet = []) {
        own = policies.filter { !$0.key.isPattern }
        ofPatterns = aspects.names.filter(\.isPattern)
            .sorted { ($1.name.utf8.count, $0) < ($0.name.utf8.count, $1) }
            .map { Pattern(aspect: $0, policy: policies[$0] ?? Policy()) }
    }

    /// The patterns of the subscription, the longest first.
    package var patterns: [Aspect] { ofPatterns.map(\.aspect) }

    /// Returns the policy of an aspect, a name or one of the patterns.
    package subscript(aspect: Aspect) -> Policy {
        own[aspect] ?? ofPatterns.first { $0.aspect == aspect || $0.aspect.matches(aspect) }?.policy ?? Policy()
    }
}
