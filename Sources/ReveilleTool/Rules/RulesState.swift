// SPDX-License-Identifier: Apache-2.0

/// The state of its rules that `reveille rules` stores between runs.
struct RulesState: Codable, Equatable, Sendable {
    /// The instance of the bus to which the generations belong; `nil` before the first.
    var instance: String?
    var rules: [RuleState] = []

    /// Whether this program can have written it.
    var isValid: Bool { rules.allSatisfy { ($0.generation ?? 0) >= 0 } }
}

/// The stored state of a rule.
struct RuleState: Codable, Equatable, Sendable {
    /// The text of the rule.
    let rule: String
    /// Whether the condition was true after the last change; false for a rule with a time.
    var isTrue: Bool
    /// The generation of the last change; `nil` if it belonged to an earlier instance of the bus.
    var generation: Int?
    /// The time of the last change in microseconds since 1970, which identifies firings in another instance.
    var changedAt: Int64
    /// When the last run ended, in microseconds since 1970, and its exit code; `nil` before the first.
    var ranAt: Int64?
    var exitCode: Int32?

    /// Whether the difference has to outlast this process.
    ///
    /// Changes that make no difference are not stored: after a restart, they make no difference again.
    func differs(from stored: RuleState) -> Bool {
        var known = stored
        if generation != nil, stored.generation != nil {
            (known.generation, known.changedAt) = (generation, changedAt)
        }
        return self != known
    }
}
