// SPDX-License-Identifier: Apache-2.0

/// All changes of an aspect since the state that a subscriber has seen.
///
/// They become an event only when they are written.
package struct SoleEvent {
    /// Identifies an event among all events of one bus.
    package struct Identity: Sendable, Hashable {
        let log: Int
        let seenGeneration: Int
        let generation: Int
    }

    /// The index of the aspect's log.
    let log: Int
    let seen: Change
    let generation: Int

    /// The event's identity, the same for all its recipients.
    package var identity: Identity {
        Identity(log: log, seenGeneration: seen.generation, generation: generation)
    }
}
