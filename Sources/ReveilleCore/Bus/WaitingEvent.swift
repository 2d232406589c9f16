// SPDX-License-Identifier: Apache-2.0

/// An event that waits to be written.
///
/// It does not keep the value of a published name, since the name's log keeps the value for some time. Otherwise, many
/// unread replies could each keep different values of a thousand names.
package struct WaitingEvent {
    fileprivate var event: Event
    fileprivate let hasValue: Bool

    package var aspect: Aspect { event.aspect }

    package init(_ event: Event) {
        self.event = event
        hasValue = event.reading.published?.bytes != nil
        if hasValue { self.event.reading = .unknown(event.aspect) }
    }
}

extension Bus {
    /// Returns an event with its value; `nil` if the log has dropped the value after many changes.
    package func event(_ waiting: WaitingEvent) -> Event? {
        guard waiting.hasValue else { return waiting.event }
        let change = log(of: waiting.aspect).flatMap { logs[$0].changes.retained(waiting.event.generation) }
        return change.map { change in
            var event = waiting.event
            event.reading = change.reading
            return event
        }
    }
}

/// All changes of an aspect since the state that a subscriber has seen; an event only when they are written.
package struct SoleEvent {
    /// Identifies an event among all events of one bus.
    package struct Identity: Sendable, Hashable {
        let log: Int
        let seenGeneration: Int
        let generation: Int
        let omitsSupply: Bool
    }

    let log: Int
    let seen: Change
    let generation: Int
    let omitsSupply: Bool

    /// The event's identity, the same for all its recipients.
    package var identity: Identity {
        Identity(log: log, seenGeneration: seen.generation, generation: generation, omitsSupply: omitsSupply)
    }
}
