// SPDX-License-Identifier: Apache-2.0

/// The latest changes of an aspect, shared by all subscribers.
struct ChangeLog {
    /// The largest size in bytes of the names of settings or folders in the events of one reply.
    ///
    /// A change whose names were too many to keep lists all names that have changed since. Without a limit, 256 of them
    /// could exceed what a client accepts in one reply, 64 MiB.
    static let namesLimit = 4 << 20
    /// How many of the latest changes ``equalGenerations`` compares: about as many as a short absence misses.
    private static let equalLimit = 64

    /// The last change, whose reading is the current state.
    private(set) var current: Change
    /// Whether ``current`` was read or posted; otherwise it is a placeholder.
    private(set) var isEstablished: Bool
    /// The generation before the first change that the log counts; for a name, a generation before it was published.
    let start: Int
    /// The smallest generation that a position can have; the log does not know any earlier state.
    private let floor: Int
    /// The changes before a restart that led to the log's first state, by generation.
    private let former: [Int: Change]
    private var ring: ChangeRing
    private var parts: PartHistory

    /// Creates a log that begins with a saved state, or with a placeholder.
    ///
    /// A saved state is established; the state of a name only if the name was published. From before a restart,
    /// `beginning` is the first generation of a name, and the `equal` generations had the state of `start`.
    init(start: Change, isEstablished: Bool, after beginning: Int? = nil, equal: [Int] = [], capacity: Int) {
        current = start
        self.isEstablished = isEstablished
        let last = isEstablished ? max(0, start.generation - 1) : start.generation
        self.start = beginning.map { min($0, last) } ?? last
        floor = beginning.map { min($0, last) - 1 } ?? 0
        former = Dictionary(
            equal.map { ($0, Change(generation: $0, sequence: 0, time: start.time, reading: start.reading)) },
            uniquingKeysWith: { $1 })
        ring = ChangeRing(start, capacity: capacity)
        parts = PartHistory(restoring: start.reading, at: start.generation)
    }

    /// Creates the log of a name that is not published, or of a stream that has not been sampled.
    ///
    /// No generation in an earlier log of the aspect exceeds the sequence of the bus.
    init(absent name: Aspect, sequence: Int, capacity: Int, at time: Timestamp) {
        current = Change(generation: sequence, sequence: sequence, time: time, reading: .unknown(name))
        isEstablished = false
        start = sequence
        floor = sequence - 1
        former = [:]
        ring = ChangeRing(current, capacity: capacity)
        parts = PartHistory(restoring: current.reading, at: sequence)
    }

    /// Takes the first reading, as if it had been there from the start.
    mutating func establish(_ reading: Reading) {
        // Entries share this object, so they start from the reading too.
        current.establish(reading)
        isEstablished = true
        parts = PartHistory(restoring: reading, at: current.generation)
    }

    mutating func append(_ reading: Reading, sequence: Int, at time: Timestamp, isPosted: Bool) {
        let generation = current.generation + 1
        let touched = parts.record(
            from: current.reading, to: reading, generation: generation, listingAll: isPosted)
        let change = Change(
            generation: generation, sequence: sequence, time: time, reading: reading, parts: touched,
            lastFiring: current.lastFiring)
        advance(to: change)
    }

    /// Appends several changes of a published name at once, or firings of it; the sequence is the last one's.
    ///
    /// The log keeps only the latest changes, so a billion changes take no longer than the changes that it keeps.
    mutating func append(
        _ value: PublishedValue, times: Int, areFirings: Bool, sequence: Int, at time: Timestamp
    ) {
        let (last, lastFiring) = (current.generation + times, current.lastFiring)
        for age in (0..<min(times, ring.capacity)).reversed() {
            advance(
                to: Change(
                    generation: last - age, sequence: sequence - age, time: time, reading: .published(value),
                    lastFiring: areFirings ? last - age : lastFiring))
        }
    }

    private mutating func advance(to change: Change) {
        current.supersede(at: change.time)
        current = change
        isEstablished = true
        ring.append(change)
    }

    func change(at generation: Int) -> Change {
        let known = max(generation, floor)
        return retained(known) ?? former[known]
            ?? Change(
                generation: known, sequence: 0, time: current.time, reading: .unknown(current.reading.aspect),
                isKnown: false)
    }

    /// Recent earlier generations that also had the current state.
    var equalGenerations: [Int] {
        let last = current.generation
        return (max(0, last - Self.equalLimit)..<last).filter { generation in
            (retained(generation) ?? former[generation])?.isSameState(as: current) == true
        }
    }

    var position: (generation: Int, sequence: Int) { (current.generation, current.sequence) }

    /// Returns the approximate size of the events of the latest changes.
    func size(limit: Int, perEvent: Int) -> Int {
        min(limit, ring.count) * (ring.size / ring.count + perEvent)
    }

    /// The current state as an event without changes.
    func state(omitsSupply: Bool = false) -> Event {
        event(of: current, changes: 0, listing: parts.state(in: current.reading), omitsSupply: omitsSupply)
    }

    // The caller of a nonmutating method would copy the log.
    mutating func event(since seen: Change, omitsSupply: Bool = false) -> Event {
        var event = Event(
            reading: omitsSupply ? current.reading.withoutSupply : current.reading, generation: current.generation,
            sequence: current.sequence, changeCount: current.generation - seen.generation,
            isNetChange: !seen.isSameState(as: current, omitsSupply: omitsSupply),
            // The order holds even if the wall clock was set back in between.
            firstChangedAt: min(firstChange(after: seen), current.time), changedAt: current.time, droppedCount: 0,
            settings: [])
        event.list(parts(since: seen.generation))
        return event
    }

    /// Returns an event for each of the latest held changes, from the one after `start`.
    ///
    /// Changes between the last seen change and the held changes are merged into the first event. It also counts the
    /// held changes beyond the limit, in `droppedCount`. Superseded settings have an unknown reading.
    func events(
        since seen: Change, heldAfter start: Int, through last: Int, limit: Int, omitsSupply: Bool
    ) -> [Event] {
        let kept = fitting(changes(through: last, limit: min(limit, last - start)))
        var previous = seen
        return kept.enumerated().map { position, change in
            let dropped = position == 0 ? last - start - kept.count : 0
            let merged = position == 0 ? start - seen.generation : 0
            defer { previous = change }
            var event = event(of: change, omitsSupply: omitsSupply)
            event.isNetChange = !previous.isSameState(as: change, omitsSupply: omitsSupply)
            guard dropped + merged > 0 else { return event }
            event.changeCount += merged
            event.droppedCount = dropped
            if merged > 0 { event.firstChangedAt = min(firstChange(after: seen), change.time) }
            event.list(parts(since: seen.generation))
            return event
        }
    }

    /// Returns an event for each of the latest changes, oldest first; without a limit, for all that the log keeps.
    ///
    /// Superseded settings have an unknown reading. The first state is among the events if it is a saved change. Older
    /// events are left out if the names of all exceed ``namesLimit``.
    func events(limit: Int?, after sequence: Int = -1, omitsSupply: Bool) -> [Event] {
        var events: [Event] = []
        var size = 0
        while events.count < limit ?? .max, let change = retained(current.generation - events.count),
            change.sequence > sequence, let event = event(at: change.generation, omitsSupply: omitsSupply)
        {
            size += event.partsSize
            guard size <= Self.namesLimit || events.isEmpty else { break }
            events.append(event)
        }
        return events.reversed()
    }

    /// Returns the event of a change; `nil` if the log has dropped it.
    func event(at generation: Int, omitsSupply: Bool) -> Event? {
        guard generation > start, let change = retained(generation) else { return nil }
        var event = event(of: change, omitsSupply: omitsSupply)
        if omitsSupply, case .battery = change.reading, let previous = retained(generation - 1) {
            event.isNetChange = !previous.isSameState(as: change, omitsSupply: true)
        }
        return event
    }

    /// Returns the latest retained changes up to a generation, oldest first.
    private func changes(through last: Int, limit: Int) -> [Change] {
        let count = min(limit, ring.count)
        return (0..<count).compactMap { retained(last - count + 1 + $0) }
    }

    /// Returns the latest of some changes, at least one, so that their names do not exceed ``namesLimit`` in total.
    private func fitting(_ changes: [Change]) -> [Change] {
        guard current.reading.aspect.builtIn?.isReportedInParts == true else { return changes }
        var size = 0
        let excess = changes.lastIndex { change in
            size += event(of: change).partsSize
            return size > Self.namesLimit
        }
        return excess.map { Array(changes.suffix(max(1, changes.count - 1 - $0))) } ?? changes
    }

    private func event(of change: Change, omitsSupply: Bool = false) -> Event {
        let parts = change.parts ?? parts.changes(ofGeneration: change.generation, in: current.reading)
        return event(of: change, changes: 1, listing: parts, omitsSupply: omitsSupply)
    }

    private func event(of change: Change, changes: Int, listing parts: ChangedParts?, omitsSupply: Bool) -> Event {
        var event = Event(
            reading: omitsSupply ? change.reading.withoutSupply : change.reading, generation: change.generation,
            sequence: change.sequence, changeCount: changes,
            isNetChange: true, firstChangedAt: change.time, changedAt: change.time, droppedCount: 0, settings: [])
        event.list(parts)
        return event
    }

    /// Returns the change of a generation; `nil` if the log has dropped it.
    func retained(_ generation: Int) -> Change? {
        ring[current.generation - generation]
    }

    private func firstChange(after seen: Change) -> Timestamp {
        // If the log has dropped the change, the oldest kept change is the best approximation.
        seen.supersededAt ?? ring.oldest?.supersededAt ?? current.time
    }

    private func parts(since generation: Int) -> ChangedParts? {
        // Most subscribers have seen all changes but the last, and its settings are sorted already.
        if generation == current.generation - 1, parts.isComplete(since: generation), let last = current.parts {
            return last
        }
        return parts.changes(since: generation, in: current.reading)
    }
}
