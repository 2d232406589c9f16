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

    /// Notes an answer of the bus: the position of the name, `nil` if the bus has not taken the value.
    package mutating func answered(_ name: String, at position: FleetPosition?) -> [Effect] {
        guard let flight, flight.name == name else { return [] }
        self.flight = nil
        guard let position else {
            if !due.contains(name) { failed.insert(name) }
            return [.retry(isSoon: true)] + publishNext()
        }
        let last = applied.removeValue(forKey: name)
        if var target = flight.target {
            target.isForgotten = last?.isForgotten ?? false
            // The next target is a sum, and the saved file has the same limit.
            let generation = min(max(0, position.generation), StateMessage.generationLimit)
            target.bus = FleetPosition(instance: position.instance, generation: generation)
            // Another value with the same number may be one change more, which the next number counts.
            if let last, last.taken == target.taken, last.bus?.instance == position.instance { target.bus = last.bus }
            applied[name] = target
        }
        return (last == applied[name] ? [] : [.save]) + publishNext()
    }

    private func winner(_ name: String) -> DesiredMessage? { values[name]?.min { $0.key < $1.key }?.value.message }

    mutating func apply(_ names: Set<String>) -> [Effect] {
        failed.subtract(names)
        due.formUnion(names)
        return publishNext()
    }

    private mutating func publishNext() -> [Effect] {
        var effects: [Effect] = []
        while flight == nil, let name = due.min() {
            due.remove(name)
            effects += publish(name)
        }
        return effects
    }

    private mutating func publish(_ name: String) -> [Effect] {
        guard let message = winner(name) else {
            values[name] = nil
            guard applied[name] != nil else { return [] }
            flight = Flight(name: name, target: nil)
            return [.withdraw(name)]
        }
        let last = applied[name]
        var target: FleetPosition?
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
            // Absolute, so that a value whose answer was lost counts once.
            target = last.bus
            target?.generation += generation - known
        }
        flight = Flight(name: name, target: Applied(instance: message.instance, generation: message.generation))
        let publication = Effect.publish(name, message.value, target: target)
        if last != nil { return [publication] }
        // If the bridge dies now, the next one must know that the bus may have the name.
        applied[name] = Applied()
        return [.save, publication]
    }
}
