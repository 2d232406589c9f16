// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The changes of one aspect: the last one, and the newest of those before it.
///
/// There is one log for an aspect, never a queue for a subscriber.
struct ChangeLog {
    /// The last change; its reading is the state now.
    private(set) var current: Change
    /// Whether ``current`` was read or posted; until then it holds the place of a first reading.
    private(set) var isEstablished: Bool
    private var ring: [Change]
    private var oldest = 0
    private let capacity: Int
    private var settings: SettingsHistory

    /// Makes a log that starts at a reading.
    ///
    /// - Parameters:
    ///   - start: Generation, sequence and reading to go on from; of a saved state, or of none.
    ///   - isEstablished: Whether the reading was ever read from a source.
    ///   - capacity: How many changes to keep.
    init(start: Change, isEstablished: Bool, capacity: Int) {
        current = start
        self.isEstablished = isEstablished
        self.capacity = capacity
        ring = [start]
        settings = SettingsHistory(restoring: start.reading, at: start.generation)
    }

    /// The position of a subscriber that has seen everything.
    var end: Cursor { Cursor(generation: current.generation, change: current) }

    /// Takes a first reading as what was there from the start: state, not a change.
    mutating func establish(_ reading: Reading) {
        // In the shared object: subscribers that wait without having been told anything start from it.
        current.establish(reading)
        isEstablished = true
        settings = SettingsHistory(restoring: reading, at: current.generation)
    }

    /// Adds a change.
    mutating func append(_ reading: Reading, sequence: Int, at time: Timestamp, isPosted: Bool) {
        let generation = current.generation + 1
        let touched = settings.record(
            from: current.reading, to: reading, generation: generation, listingAll: isPosted)
        let change = Change(
            generation: generation, sequence: sequence, time: time, reading: reading, settings: touched)
        current.supersede(at: time)
        current = change
        isEstablished = true
        guard ring.count == capacity else { return ring.append(change) }
        ring[oldest] = change
        oldest = (oldest + 1) % capacity
    }

    /// The position of a subscriber that has seen a generation, which must not be ahead.
    func cursor(at generation: Int) -> Cursor {
        Cursor(generation: generation, change: retained(generation))
    }

    /// The state now, as an answer.
    var state: Event {
        Event(
            reading: current.reading, generation: current.generation, sequence: current.sequence, changes: 0,
            netChange: true, firstChangedAt: current.time, changedAt: current.time, dropped: 0)
    }

    /// Everything since a position as one event.
    func event(since cursor: Cursor) -> Event {
        Event(
            reading: current.reading, generation: current.generation, sequence: current.sequence,
            changes: current.generation - cursor.generation,
            netChange: cursor.change.map { !$0.isSameState(as: current) } ?? true,
            // A wall clock that was set back in between must not turn them round.
            firstChangedAt: min(firstChange(after: cursor), current.time), changedAt: current.time, dropped: 0,
            settings: settings(since: cursor.generation))
    }

    /// Each change that was held, the newest `limit` of them.
    ///
    /// - Parameters:
    ///   - cursor: What the subscriber has seen. What came between that and the held changes is merged into the
    ///     first event.
    ///   - start: The generation before the first held change.
    ///   - last: The generation of the last held change.
    ///   - limit: How many to tell; the first event counts in `dropped` what was not kept.
    /// - Returns: The events; those of settings have the reading of the last change alone.
    func events(since cursor: Cursor, heldAfter start: Int, through last: Int, limit: Int) -> [Event] {
        let count = min(limit, ring.count, last - start)
        let kept = (0..<count).compactMap { retained(last - count + 1 + $0) }
        var previous = cursor.change
        return kept.enumerated().map { position, change in
            let dropped = position == 0 ? last - start - kept.count : 0
            let merged = position == 0 ? start - cursor.generation : 0
            defer { previous = change }
            return Event(
                reading: change.reading, generation: change.generation, sequence: change.sequence,
                changes: 1 + merged, netChange: previous.map { !$0.isSameState(as: change) } ?? true,
                firstChangedAt: merged == 0 ? change.time : min(firstChange(after: cursor), change.time),
                changedAt: change.time, dropped: dropped,
                settings: dropped + merged == 0
                    ? change.settings ?? settings(since: change.generation - 1)
                    : settings(since: cursor.generation))
        }
    }

    /// The change of a generation, while the log keeps it.
    func retained(_ generation: Int) -> Change? {
        let age = current.generation - generation
        guard age >= 0, age < ring.count else { return nil }
        return ring[(oldest + ring.count - 1 - age) % ring.count]
    }

    private func firstChange(after cursor: Cursor) -> Timestamp {
        // Where the log has forgotten the change, the oldest that it knows is the nearest answer.
        cursor.change?.supersededAt ?? ring[oldest % ring.count].supersededAt ?? current.time
    }

    private func settings(since generation: Int) -> [SettingsChange] {
        settings.changes(since: generation, in: current.reading)
    }
}
