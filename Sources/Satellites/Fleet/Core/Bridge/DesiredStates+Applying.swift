// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Varlink

extension DesiredStates {
    /// Publishes everything again on a bus that has started, and what it was not there to take.
    ///
    /// - Returns: The effects.
    package mutating func publishAll() -> [Effect] {
        guard arrived != nil else { return apply(failed.union(values.keys)) }
        // What is new is applied when all values are there.
        return apply(
            Set(values.keys).filter { name in
                guard let message = winner(name), let last = applied[name] else { return false }
                return message.instance == last.instance && message.generation == last.generation
            })
    }

    /// Publishes what the bus did not take, once more.
    ///
    /// - Returns: The effects.
    package mutating func retry() -> [Effect] {
        arrived == nil ? apply(failed) : []
    }

    /// Notes the answer of the bus to a publication or withdrawal.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - isTaken: Whether the bus has taken it.
    /// - Returns: The effects.
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
                        reason: "the value of '\(name)' is older than the one that was published")
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

    /// The state on the device's bus: the value beside its count, which the bus does not deliver for a value that was set
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
