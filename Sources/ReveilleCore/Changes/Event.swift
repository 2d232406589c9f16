// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What a subscriber is told of one aspect.
public struct Event: Sendable, Hashable {
    /// The state now; of the settings the whole state, see ``settings``, or none of one that was held and is past.
    public var reading: Reading
    /// The generation of that state.
    public var generation: Int
    /// The sequence of the change that led to it.
    public var sequence: Int
    /// How many changes the event stands for; 0 marks the current state, given on request.
    public var changes: Int
    /// False when the aspect is back at what this subscriber last saw.
    public var netChange: Bool
    /// When the first of the changes came.
    public var firstChangedAt: Timestamp
    /// When the last of the changes came.
    public var changedAt: Timestamp
    /// Changes that a `hold` policy had no room for; they are not among ``changes``.
    public var dropped: Int
    /// What changed in the settings: of a current state all keys; empty for every other aspect.
    public var settings: [SettingsChange]

    /// The aspect that the event is of.
    public var aspect: Aspect { reading.aspect }

    /// Makes an event of its parts; without `settings` it lists all keys of a reading of the settings.
    public init(
        reading: Reading, generation: Int, sequence: Int, changes: Int, netChange: Bool, firstChangedAt: Timestamp,
        changedAt: Timestamp, dropped: Int, settings: [SettingsChange]? = nil
    ) {
        self.reading = reading
        self.generation = generation
        self.sequence = sequence
        self.changes = changes
        self.netChange = netChange
        self.firstChangedAt = firstChangedAt
        self.changedAt = changedAt
        self.dropped = dropped
        self.settings = settings ?? reading.settings
    }
}
