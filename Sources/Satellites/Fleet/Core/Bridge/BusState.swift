// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// A state of an aspect as the bus of the device delivered it.
package struct BusState: Sendable, Hashable {
    /// Aspects whose events contain only the difference from the subscriber's last event.
    private static let partial: Set<String> = ["defaults", "folders"]

    package var aspect: String
    package var generation: Int64
    /// The changes that the event stands for; 0 for a state that was requested.
    package var changes: Int64
    /// The time of the last change in microseconds since 1970; 0 if unknown.
    package var changedAt: Int64
    /// The aspect's structure; `null` for a name that was withdrawn.
    package var value: JSON

    package init(aspect: String, generation: Int64, changes: Int64, changedAt: Int64, value: JSON) {
        self.aspect = aspect
        self.generation = generation
        self.changes = changes
        self.changedAt = changedAt
        self.value = value
    }

    /// Reads an event of the bus; `nil` for anything else, such as an event in a later bus's form.
    package init?(_ event: JSON) {
        guard let event = event.objectValue, let aspect = event["aspect"]?.stringValue, FleetTopic.isAspect(aspect),
            let generation = event["generation"]?.integerValue,
            (0...StateMessage.generationLimit).contains(generation)
        else { return nil }
        let field = aspect.utf8.contains(UInt8(ascii: ".")) ? "value" : aspect
        self.init(
            aspect: aspect, generation: generation,
            changes: min(StateMessage.generationLimit, max(0, event["changes"]?.integerValue ?? 0)),
            changedAt: max(0, event["changedAt"]?.integerValue ?? 0), value: event[field] ?? .null)
        guard value.isNull || value.objectValue != nil else { return nil }
    }

    /// Whether the value is only a difference, so that the state must be requested.
    package var isDifference: Bool { changes > 0 && Self.partial.contains(aspect) && !value.isNull }
}
