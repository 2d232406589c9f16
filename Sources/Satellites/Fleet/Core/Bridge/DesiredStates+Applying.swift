// SPDX-License-Identifier: Apache-2.0

import Varlink

extension DesiredStates {
    /// Publishes everything on a bus that has started, including the values that arrived before the start.
    package mutating func publishAll() -> [Effect] {
        guard arrived != nil else { return apply(failed.union(values.keys)) }
        // New values are applied when all have arrived.
        return apply(
            Set(values.keys).filter { name in
                guard let message = winner(name), let last = applied[name] else { return false }
                return message.instance == last.instance && message.generation == last.generation
            })
    }

    /// Publishes again the values that the bus did not take.
    package mutating func retry() -> [Effect] {
        arrived == nil ? apply(failed) : []
    }

    package mutating func answered(_ name: String, isTaken: Bool) -> [Effect] {
        guard let flight = flights.removeValue(forKey: name) else { return [] }
        guard isTaken else {
            failed.insert(name)
            return [.retry]
        }
        let last = applied.removeValue(forKey: name)
        if var target = flight.target {
            target.isForgotten = last?.isForgotten ?? false
            applied[name] = target
        }
        return (last == applied[name] ? [] : [.save]) + (flight.isOutdated ? apply(name) : [])
    }

    private func winner(_ name: String) -> DesiredMessage? { values[name]?.min { $0.key < $1.key }?.value.message }

    mutating func apply(_ names: Set<String>) -> [Effect] { names.sorted().flatMap { apply($0) } }

    mutating func apply(_ name: String) -> [Effect] {
        if flights[name] != nil {
            flights[name]?.isOutdated = true
            return []
        }
        failed.remove(name)
        guard let message = winner(name) else {
            values[name] = nil
            guard applied[name] != nil else { return [] }
            flights[name] = Flight(target: nil)
            return [.withdraw(name)]
        }
        let last = applied[name]
        var next = Applied(instance: message.instance, generation: message.generation)
        if let instance = message.instance, let generation = message.generation, let last, instance == last.instance,
            let known = last.generation
        {
            guard generation >= known else {
                return [
                    .ignored(
                        topic: FleetTopic.desired(device, name).text,
                        reason: "the value of '\(name)' is older than the published one")
                ]
            }
            next.changes = generation == known ? last.changes : generation - known
        }
        flights[name] = Flight(target: next)
        let publication = Effect.publish(name, Self.state(message, changes: next.changes))
        if last != nil { return [publication] }
        // If the bridge dies now, the next one must know that the bus may have the name.
        applied[name] = Applied()
        return [.save, publication]
    }

    /// The state on the device's bus: the value and its count, since the bus sees only one change if a value was set
    /// several times while the device was away.
    private static func state(_ message: DesiredMessage, changes: Int64?) -> JSONObject {
        var state: JSONObject = ["value": .object(message.value)]
        if let changes { state["changes"] = .integer(changes) }
        if let generation = message.generation { state["generation"] = .integer(generation) }
        if let instance = message.instance { state["instance"] = .string(instance) }
        if let changedAt = message.changedAt { state["changedAt"] = .integer(changedAt) }
        return state
    }
}
