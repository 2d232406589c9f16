// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// A state of a device, and the number of changes since the last seen state.
package struct DeviceEvent: Sendable, Hashable {
    package let device: DeviceID
    /// The name of the aspect, such as `battery`, or of a published name.
    package let aspect: String
    /// The state; `null` for a name that was withdrawn.
    package let value: JSON
    /// The identity of the bus on the device that has sent the state: a text without a meaning of its own.
    ///
    /// It remains the same when the bus restarts, unless that has lost its state.
    package let instance: String
    /// The number of changes of the aspect up to this state, as the bus ``instance`` counts them.
    ///
    /// Generations of one instance can be compared, and their difference is the number of changes in between. Those of
    /// different instances or aspects cannot.
    package let generation: Int64
    /// The number of changes since the last seen state; `nil` if unknown, as for the first state.
    ///
    /// 0 for a state that the broker had lost, that was reported as removed, and that is back unchanged.
    package internal(set) var changeCount: Int64?
    /// Whether another bus sent the last seen state: the device lost its state, or was replaced.
    package internal(set) var isNewInstance = false
    /// The time of the last change on the device's clock; `nil` if that is not synchronized.
    package internal(set) var changedAt: Timestamp?
    /// The position before the event; `nil` for the first state.
    package internal(set) var previous: FleetPosition?

    var position: FleetPosition { FleetPosition(instance: instance, generation: generation) }

    /// Returns the two events as one: the later state, with the changes of both.
    ///
    /// The number of changes remains exact, because each event counts from the one before it.
    package func merged(with later: DeviceEvent) -> DeviceEvent {
        var merged = later
        merged.changeCount =
            if let earlier = changeCount, let later = later.changeCount { earlier + later } else { nil }
        merged.isNewInstance = previous != nil && (isNewInstance || later.isNewInstance)
        merged.previous = previous
        return merged
    }

    /// Returns the event as the successor of another position, whatever came in between.
    ///
    /// The number of changes is known if the same bus has counted both.
    package func following(_ position: FleetPosition?) -> DeviceEvent {
        var event = self
        let step = position.flatMap { $0.instance == instance ? generation - $0.generation : nil }
        event.changeCount = step.flatMap { (0...Ledger.plausibleStep).contains($0) ? $0 : nil }
        event.isNewInstance = position.map { $0.instance != instance } ?? false
        event.previous = position
        return event
    }
}

/// The last seen state of an aspect of a device.
package struct FleetPosition: Sendable, Hashable {
    /// The bus that counts the generations.
    package var instance: String
    package var generation: Int64

    package init(instance: String, generation: Int64) {
        self.instance = instance
        self.generation = generation
    }

    init?(_ json: JSON) {
        guard let instance = json.objectValue?["instance"]?.stringValue,
            let generation = json.objectValue?["generation"]?.integerValue
        else { return nil }
        self.init(instance: instance, generation: generation)
    }

    var json: JSON { ["instance": .string(instance), "generation": .integer(generation)] }
}
