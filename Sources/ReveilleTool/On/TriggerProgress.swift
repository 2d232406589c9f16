// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleCore
import ReveilleWire

/// A trigger, and the file in which `reveille on --state` stores whether its condition is true.
///
/// The format is `{"aspect":"battery","condition":"level < 0.1","generation":12,"instance":"…","isTrue":false}`.
struct TriggerProgress: Sendable {
    /// Whether the condition held for a change, as stored in a file.
    private struct Stored: Codable, Equatable {
        var aspect: String
        var condition: String
        /// The domains of the settings; `nil` for all.
        var domains: [String]?
        var isTrue: Bool
        /// The instance of the bus to which the generation belongs.
        var instance: String
        var generation: Int
    }

    private let aspect: Aspect
    private let condition: String
    let domains: [String]?
    private let file: CommandState?
    private var trigger: Trigger
    /// The last progress read or written for this condition, if any.
    private var stored: Stored?

    /// Creates a trigger that continues from the state in a file, which may be missing, or belong to another condition.
    init(
        _ condition: Condition?, on aspect: Aspect, _ domains: [String]?, storedIn path: String?
    ) throws(Failure) {
        self.aspect = aspect
        self.domains = domains
        self.condition = condition?.description ?? ""
        file = path.map { CommandState($0, of: "on") }
        let stored: Stored? = try file?.read { $0.generation >= 0 }
        let isOurs =
            stored?.aspect == aspect.name && stored?.condition == self.condition && stored?.domains == domains
        self.stored = isOurs ? stored : nil
        trigger = Trigger(condition, isTrue: isOurs && stored?.isTrue == true)
    }

    var positions: Positions? {
        stored.map { Positions(instance: $0.instance, generations: [aspect: $0.generation], domains: domains) }
    }

    /// Takes a change, and returns whether it made the condition true.
    ///
    /// In that case the change is not stored yet. Changes that make no difference are never stored: after a restart,
    /// they make no difference again.
    mutating func take(_ change: Event, of instance: String) throws(Failure) -> Bool {
        let wasTrue = trigger.isTrue
        let hasBecomeTrue = trigger.fires(on: change)
        // The first change is always stored, so that an unwritable file is reported before the first run.
        if stored == nil || wasTrue && !trigger.isTrue { try store(change, of: instance, isTrue: false) }
        return hasBecomeTrue
    }

    /// Stores a change that made the condition true, or did not.
    mutating func store(_ change: Event, of instance: String, isTrue: Bool = true) throws(Failure) {
        let newer = Stored(
            aspect: aspect.name, condition: condition, domains: domains, isTrue: isTrue, instance: instance,
            generation: change.generation)
        guard let file, newer != stored else { return }
        try file.replace(with: newer)
        stored = newer
    }
}
