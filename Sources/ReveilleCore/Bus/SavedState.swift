// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What a bus needs to go on after a restart as if there had been none.
package struct SavedState: Sendable, Hashable {
    /// One aspect's last change.
    package struct Entry: Sendable, Hashable {
        /// Its generation.
        package var generation: Int
        /// Its sequence.
        package var sequence: Int
        /// When it came.
        package var changedAt: Timestamp
        /// The state from then on.
        package var state: KeptReading
        /// The state was posted, and stands until the aspect's own source reads something else.
        package var isPosted: Bool
        /// What the aspect's own source read last, under a posted state; `nil` if it never did, or was too large.
        package var ownReading: Reading?

        /// Makes an entry of its parts.
        package init(
            generation: Int, sequence: Int, changedAt: Timestamp, state: KeptReading, isPosted: Bool = false,
            ownReading: Reading? = nil
        ) {
            self.generation = generation
            self.sequence = sequence
            self.changedAt = changedAt
            self.state = state
            self.isPosted = isPosted
            self.ownReading = ownReading
        }
    }

    /// The bus instance that the generations are of.
    package var instance: String
    /// The last sequence given out.
    package var sequence: Int
    /// The aspects that had been read or posted.
    package var entries: [Entry]

    /// Makes a state of its parts.
    package init(instance: String, sequence: Int, entries: [Entry]) {
        self.instance = instance
        self.sequence = sequence
        self.entries = entries
    }
}
