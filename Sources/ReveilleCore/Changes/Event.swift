// SPDX-License-Identifier: Apache-2.0

/// A notification of the changes of one aspect.
///
/// It has the states of its ``reading``: `event.battery` is `nil` for other aspects.
@dynamicMemberLookup
public struct Event: Sendable, Hashable {
    /// The state after the changes; of the settings, the domains and keys that changed, or all in a current state.
    public var reading: Reading
    /// The number of changes of the aspect up to ``reading``, as the bus counts them.
    ///
    /// It grows by one with each change, delivered or not, so the difference between two events of an aspect is the
    /// number of changes between them. For a published name, it begins above 0. It continues after a restart of the
    /// bus, unless the bus has lost its state and begins as another instance; ``Positions`` has the instance, and
    /// resumes from generations. The lifecycle counts the transitions of its own subscription.
    public var generation: Int
    /// The position of the last change among the changes of all aspects of the bus.
    ///
    /// It orders events of different aspects: the greater one changed last. It grows by one with each change of any
    /// aspect, subscribed to or not, so gaps mean nothing. It is comparable only within one
    /// instance of the bus, as ``generation`` is.
    public var sequence: Int
    /// The number of changes; 0 for a current state that was requested.
    public var changeCount: Int
    /// Whether the state differs from the last state that this subscriber received.
    public var isNetChange: Bool
    /// The time of the first change.
    public var firstChangedAt: Timestamp
    /// The time of the last change.
    public var changedAt: Timestamp
    /// The number of further changes, beyond the limit of a `hold` policy; not included in ``changeCount``.
    public var droppedCount: Int
    /// The settings that changed; all settings for a current state, and empty for other aspects.
    package var settings: [SettingsChange]

    /// The aspect that changed.
    public var aspect: Aspect { reading.aspect }

    /// The state of an aspect; `nil` for other aspects.
    public subscript<State>(dynamicMember state: KeyPath<Reading, State?>) -> State? { reading[keyPath: state] }

    /// Creates an event, which by default lists all settings of a reading.
    package init(
        reading: Reading, generation: Int, sequence: Int, changeCount: Int, isNetChange: Bool,
        firstChangedAt: Timestamp, changedAt: Timestamp, droppedCount: Int, settings: [SettingsChange]? = nil
    ) {
        self.reading = reading
        self.generation = generation
        self.sequence = sequence
        self.changeCount = changeCount
        self.isNetChange = isNetChange
        self.firstChangedAt = firstChangedAt
        self.changedAt = changedAt
        self.droppedCount = droppedCount
        self.settings = settings ?? reading.settings
    }
}

extension Event: CustomStringConvertible {
    /// A line of text: `battery: unplugged, 62% (14 changes)`.
    public var description: String {
        "\(aspect): \(reading)" + (remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))")
    }

    /// Notes on merged and dropped changes: `14 changes`, `back where it was`, `2 dropped`.
    package var remarks: [String] {
        var parts: [String] = []
        if changeCount > 1 { parts.append("\(changeCount) changes") }
        if changeCount > 0 && !isNetChange { parts.append("back where it was") }
        if droppedCount > 0 { parts.append("\(droppedCount) dropped") }
        return parts
    }
}
