// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What a bus needs to go on after a restart as if there had been none.
public struct SavedState: Sendable, Hashable {
    /// One aspect's last change.
    public struct Entry: Sendable, Hashable {
        /// Its generation.
        public var generation: Int
        /// Its sequence.
        public var sequence: Int
        /// When it came.
        public var changedAt: Timestamp
        /// The state from then on.
        public var reading: Reading
        /// The state was posted, and stands until the aspect's own source reads something else.
        public var isPosted: Bool
        /// What the aspect's own source read last, under a posted state; `nil` if it never did.
        public var ownReading: Reading?

        /// Makes an entry of its parts.
        public init(
            generation: Int, sequence: Int, changedAt: Timestamp, reading: Reading, isPosted: Bool = false,
            ownReading: Reading? = nil
        ) {
            self.generation = generation
            self.sequence = sequence
            self.changedAt = changedAt
            self.reading = reading
            self.isPosted = isPosted
            self.ownReading = ownReading
        }
    }

    /// The bus instance that the generations are of.
    public var instance: String
    /// The last sequence given out.
    public var sequence: Int
    /// The aspects that had been read or posted.
    public var entries: [Entry]

    /// Makes a state of its parts.
    public init(instance: String, sequence: Int, entries: [Entry]) {
        self.instance = instance
        self.sequence = sequence
        self.entries = entries
    }
}
