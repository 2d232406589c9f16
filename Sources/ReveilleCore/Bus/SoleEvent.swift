// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// All changes of an aspect since the state that a subscriber has seen, which become an event only when it is written.
///
/// Of one bus, those with equal logs and generations are the same event.
package struct SoleEvent {
    /// The index of the aspect's log.
    let log: Int
    /// The change that the subscriber saw last.
    let seen: Change
    /// The generation of the event.
    let generation: Int

    /// Returns whether two are the same event.
    package static func == (one: SoleEvent, other: SoleEvent) -> Bool {
        one.generation == other.generation && one.seen.generation == other.seen.generation && one.log == other.log
    }
}
