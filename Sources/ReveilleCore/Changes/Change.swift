// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// One change of an aspect: its reading from then on, until the next.
///
/// A subscription keeps the change that it last saw, shared with all others that saw it. That one
/// reference answers what an event has to say after any time: the reading tells whether the state
/// came back, the generation how many changes were merged, and ``supersededAt`` when the first of
/// them came. So posting costs nothing for those who sleep.
package final class Change {
    /// Grows by one with each change of the aspect.
    package let generation: Int
    /// Grows by one with each change on the bus.
    package let sequence: Int
    /// When it changed.
    package let time: Timestamp
    /// The state from then on.
    package internal(set) var reading: Reading
    /// What this change alone touched in the settings; empty for every other aspect.
    let settings: [SettingsChange]
    /// When the next change came; `nil` while this is the last.
    package internal(set) var supersededAt: Timestamp?

    init(
        generation: Int, sequence: Int, time: Timestamp, reading: Reading, settings: [SettingsChange] = []
    ) {
        self.generation = generation
        self.sequence = sequence
        self.time = time
        self.reading = reading
        self.settings = settings
    }
}

/// How far one subscriber has seen one aspect.
struct Cursor {
    /// The generation last seen.
    var generation: Int
    /// The change of that generation; `nil` when the log no longer knew it as the subscriber resumed.
    var change: Change?
}
