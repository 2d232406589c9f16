// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import Varlink

/// The states of a bus by its rules: generations grow by one, and a name's generations begin after the bus's sequence.
struct SimulatedBus {
    private(set) var instance = "i0"
    private var sequence: Int64 = 0
    private var number = 0
    private(set) var states: [String: BusState] = [:]

    init() {
        for aspect in ["battery", "orientation"] { change(aspect) }
    }

    var generations: [String: Int64] { states.mapValues(\.generation) }

    /// Begins a new instance, whose names are unpublished.
    mutating func begin() {
        number += 1
        instance = "i\(number)"
        sequence = 0
        states = [:]
        for aspect in ["battery", "orientation"] { change(aspect) }
    }

    mutating func change(_ aspect: String) {
        sequence += 1
        let generation = (states[aspect]?.generation ?? (aspect.contains(".") ? sequence - 1 : 0)) + 1
        states[aspect] = BusState(
            aspect: aspect, generation: generation, changes: 0, changedAt: 1,
            value: ["instance": .string(instance), "number": .integer(generation)])
    }

    /// Makes the state of an aspect long.
    mutating func pad(_ aspect: String, to size: Int) {
        states[aspect]?.value = ["text": .string(String(repeating: "x", count: size))]
    }

    /// Withdraws a name, but remembers it until all subscriptions have seen the withdrawal.
    mutating func withdraw(_ name: String, isForgotten: Bool) {
        guard states[name]?.value.isNull == false else { return }
        change(name)
        states[name]?.value = .null
        if isForgotten { states[name] = nil }
    }

    func state(of aspect: String) -> BusState {
        states[aspect] ?? BusState(aspect: aspect, generation: sequence, changes: 0, changedAt: 0, value: .null)
    }

    func events(since seen: [String: Int64]) -> [BusState] {
        states.values.sorted { $0.aspect < $1.aspect }.compactMap { state in
            let changes = state.generation - (seen[state.aspect] ?? state.generation - 1)
            guard changes > 0 else { return nil }
            var event = state
            event.changes = changes
            return event
        }
    }

    func firstReply(resume seen: [String: Int64]?) -> [BusState] {
        let changed = seen.map { events(since: $0) } ?? []
        let others = states.values.filter { state in
            !state.value.isNull && !changed.contains { $0.aspect == state.aspect }
        }
        return changed.filter { !$0.value.isNull || seen?[$0.aspect] != nil } + others.sorted { $0.aspect < $1.aspect }
    }
}

/// A reader that is always connected, with the reader's rule and nothing else.
struct NaiveReader {
    private(set) var positions: [String: (instance: String, generation: Int64)] = [:]
    private(set) var values: [String: JSON] = [:]
    /// The changes by the rule since the first sight of each instance.
    private(set) var sums: [String: Int64] = [:]
    private(set) var first: [String: Int64] = [:]

    /// Returns what is wrong with a message; `nil` if nothing is.
    mutating func take(_ topic: String, _ payload: [UInt8]) -> String? {
        guard case .state(_, let aspect)? = try? FleetTopic(topic) else { return nil }
        guard !payload.isEmpty else { return "\(topic) is deleted" }
        guard let message = try? StateMessage(payload) else { return "\(topic) has an invalid payload" }
        if let position = positions[aspect], position.instance == message.instance {
            let merged = message.generation - position.generation
            if merged < 0 { return "\(aspect) goes back to \(message.generation) from \(position.generation)" }
            if merged == 0, message.value != values[aspect] { return "\(aspect) has two values at one generation" }
            sums[aspect, default: 0] += merged
        } else {
            sums[aspect] = 0
            first[aspect] = message.generation
        }
        positions[aspect] = (message.instance, message.generation)
        values[aspect] = message.value
        return nil
    }
}
