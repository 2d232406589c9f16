// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleCore

/// The rules of a file at work, and their stored state; pure.
struct RuleSet: Sendable {
    private(set) var rules: [RuleProgress] = []
    /// The instance of the bus to which the generations belong; `nil` before the first.
    private(set) var instance: String?
    /// The last stored state.
    var stored: RulesState

    init(stored: RulesState) {
        (self.stored, instance) = (stored, stored.instance)
    }

    /// The state to store; `nil` if no difference has to outlast this process.
    var unstored: RulesState? {
        let state = RulesState(instance: instance, rules: rules.compactMap(\.state))
        let isKnown =
            state.instance == stored.instance && state.rules.count == stored.rules.count
            && !zip(state.rules, stored.rules).contains { $0.differs(from: $1) }
        return isKnown ? nil : state
    }

    func rule(_ text: String) -> Rule? { rules.first { $0.rule.text == text }?.rule }

    /// Changes the progress of a rule, unless the rule was removed.
    @discardableResult
    mutating func change<Result>(_ text: String, _ body: (inout RuleProgress) -> Result) -> Result? {
        guard let index = rules.firstIndex(where: { $0.rule.text == text }) else { return nil }
        return body(&rules[index])
    }

    /// Takes the rules of a new version of the file, and returns those that were not at work before.
    mutating func replace(with newer: [Rule]) -> [Rule] {
        let states = Dictionary(stored.rules.map { ($0.rule, $0) }) { $1 }
        let former = Dictionary(uniqueKeysWithValues: rules.map { ($0.rule.text, $0) })
        rules = newer.map { rule in
            guard var progress = former[rule.text] else { return RuleProgress(rule, state: states[rule.text]) }
            progress.rule = rule
            return progress
        }
        return newer.filter { former[$0.text] == nil }
    }

    /// The rules that choose some domains of the settings, or none.
    func rules(of domains: [String]?) -> [RuleProgress] { rules.filter { $0.rule.domains == domains } }

    /// The positions from which rules continue; `nil` if none has one.
    func positions(of domains: [String]?, in instance: String?) -> Positions? {
        guard let instance else { return nil }
        let generations = rules(of: domains).compactMap { progress in
            progress.state?.generation.map { (progress.rule.aspect, $0) }
        }
        return generations.isEmpty
            ? nil
            : Positions(
                instance: instance, generations: Dictionary(generations, uniquingKeysWith: min), domains: domains)
    }

    /// Begins with a subscription to an instance of the bus, which may be another than before.
    mutating func begin(_ domains: [String]?, in instance: String, since former: String?) {
        for index in rules.indices where rules[index].rule.domains == domains {
            rules[index].begin(sameInstance: instance == former)
        }
        self.instance = instance
    }
}
