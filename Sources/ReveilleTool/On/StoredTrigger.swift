// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleConsole
import ReveilleWire
import Varlink

/// The file in which `reveille on --state` stores whether its condition is true.
///
/// The format is `{"aspect":"battery","condition":"level < 0.1","isTrue":false,"instance":"…","generation":12}`.
struct StoredTrigger: Sendable {
    /// Whether the condition was true of a change.
    struct State: Sendable, Equatable {
        var isTrue: Bool
        /// The instance of the bus to which the generation belongs.
        var instance: String
        /// The change's generation.
        var generation: Int
    }

    private let file: StateFile
    private let aspect: Aspect
    private let condition: String
    /// The state that was last read or written for this condition, if any.
    private(set) var state: State?

    /// Reads a file, which may be missing, or belong to another condition.
    ///
    /// - Throws: `Failure` if the file cannot be read or has other contents.
    init(_ path: String, for condition: Condition, on aspect: Aspect) throws(Failure) {
        file = StateFile(path, of: "on")
        self.aspect = aspect
        self.condition = condition.description
        guard let stored = try file.read(Self.decode), stored.aspect == aspect.name,
            stored.condition == self.condition
        else { return }
        state = stored.state
    }

    /// The position of the change; `nil` without a state.
    var positions: Positions? {
        state.map { Positions(instance: $0.instance, generations: [aspect: $0.generation]) }
    }

    /// Replaces the stored state atomically.
    mutating func save(_ newer: State) throws(Failure) {
        guard newer != state else { return }
        try file.replace(with: [
            "aspect": .string(aspect.name), "condition": .string(condition), "isTrue": .bool(newer.isTrue),
            "instance": .string(newer.instance), "generation": .integer(Int64(newer.generation)),
        ])
        state = newer
    }

    private static func decode(_ object: JSONObject) -> (aspect: String, condition: String, state: State)? {
        guard let aspect = object["aspect"]?.stringValue, let condition = object["condition"]?.stringValue,
            let isTrue = object["isTrue"]?.boolValue, let instance = object["instance"]?.stringValue,
            let generation = object["generation"]?.integerValue, generation >= 0
        else { return nil }
        return (aspect, condition, State(isTrue: isTrue, instance: instance, generation: Int(generation)))
    }
}
