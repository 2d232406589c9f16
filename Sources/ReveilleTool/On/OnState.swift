// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The state of its rule that `reveille on --state` stores between runs.
///
/// The format is `{"aspect":"battery","condition":"level < 0.1","generation":12,"instance":"…","isTrue":false}`.
struct OnState: Codable {
    private let aspect: String
    private let condition: String
    /// The domains of the settings; `nil` for all.
    private let domains: [String]?
    private let isTrue: Bool
    /// The instance of the bus to which the generation belongs.
    private let instance: String?
    /// The generation of the last examined change; `nil` if there was none.
    private let generation: Int?

    init(_ state: RulesState, of rule: Rule) {
        (aspect, condition, domains) = (rule.aspect.name, rule.text, rule.domains)
        (isTrue, instance, generation) = (
            state.rules.first?.isTrue == true, state.instance, state.rules.first?.generation
        )
    }

    /// Whether this program can have written it.
    var isValid: Bool { (generation ?? 0) >= 0 }

    /// Returns the state of a rule; without a stored one, the condition was not true before, so that it can become true at
    /// the start.
    static func state(of rule: Rule, storedAs stored: OnState?) -> RulesState {
        let own = stored.flatMap {
            ($0.aspect, $0.condition) == (rule.aspect.name, rule.text) && $0.domains == rule.domains ? $0 : nil
        }
        return RulesState(
            instance: own?.instance,
            rules: [
                RuleState(rule: rule.text, isTrue: own?.isTrue == true, generation: own?.generation, changedAt: 0)
            ])
    }
}
