// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

struct NaiveChange {
    var generation: Int
    var sequence: Int
    var time: Timestamp
    var reading: Reading
    /// Whether the change occurred during a background that has ended.
    var wasHeld = false
    /// The keys of settings that changed, by the path of their domain.
    var touched: [String: Set<String>] = [:]

    /// Returns whether the state differs from an earlier one; a sample and an occurrence always do.
    func isNew(after seen: Reading?) -> Bool { reading != seen || reading.isOccurrence }

    /// Returns the event of this change and of earlier ones that are merged into it.
    func event(changes: Int, netChange: Bool, since first: Timestamp) -> Event {
        Event(
            reading: reading, generation: generation, sequence: sequence, changeCount: changes, isNetChange: netChange,
            firstChangedAt: first, changedAt: time, droppedCount: 0, settings: [])
    }
}

/// One aspect of one subscriber of ``NaiveBus``: a queue of the changes that it has not received.
struct NaiveFeed {
    let policy: Policy
    /// Whether the subscriber gave the aspect's own name.
    let isLiteral: Bool
    var queue: [NaiveChange] = []
    /// The state that the subscriber last received.
    var seen: Reading
    var backgroundStart: Int
    /// Whether an event was due when the last background began.
    var hadPending = false
    var nextEvent: UInt64 = 0

    /// Creates a feed of the changes after a state.
    init(_ policy: Policy, isLiteral: Bool, from current: NaiveChange) {
        self.policy = policy
        self.isLiteral = isLiteral
        seen = current.reading
        backgroundStart = current.generation
    }

    /// Whether an event is due, where `oldest` is the newest generation that the log has dropped.
    func isDue(oldest: Int) -> Bool {
        guard let last = queue.last else { return false }
        let keepsHeld = queue.contains { $0.wasHeld && $0.generation > oldest } && holdLimit != nil
        return !policy.netChangeOnly || keepsHeld || last.isNew(after: seen)
    }

    private var holdLimit: Int? {
        if case .hold(let limit) = policy.background { limit } else { nil }
    }

    mutating func beginBackground(at generation: Int, oldest: Int) {
        hadPending = isDue(oldest: oldest)
        backgroundStart = generation
    }

    /// Marks the changes of the background that ends now, or discards them.
    ///
    /// Earlier pending changes waited for the reader rather than for the foreground, and are still merged.
    mutating func endBackground(in state: Reading, oldest: Int) {
        if policy.background == .drop, !hadPending {
            queue = []
            seen = state
        }
        guard let last = queue.last, last.generation > backgroundStart else { return }
        let knowsHeld = queue.contains { $0.wasHeld && $0.generation > oldest }
        let first = knowsHeld ? queue.first(where: \.wasHeld)?.generation : nil
        for place in queue.indices { queue[place].wasHeld = queue[place].generation >= first ?? backgroundStart + 1 }
    }

    mutating func take(oldest: Int, at now: UInt64) -> [Event] {
        guard nextEvent <= now else { return [] }
        var events = takeHeld(oldest: oldest)
        if isDue(oldest: oldest), let first = queue.first, let last = queue.last {
            events.append(last.event(changes: queue.count, netChange: last.isNew(after: seen), since: first.time))
            queue = []
            seen = last.reading
        }
        if !events.isEmpty, let interval = policy.interval { nextEvent = now + UInt64(interval / .microseconds(1)) }
        return events
    }

    private mutating func takeHeld(oldest: Int) -> [Event] {
        let held = queue.filter(\.wasHeld)
        guard let limit = holdLimit, let last = held.last, last.generation > oldest else { return [] }
        let merged = Array(queue.prefix { !$0.wasHeld })
        queue.removeFirst(merged.count + held.count)
        let kept = held.suffix(limit).filter { $0.generation > oldest }
        var events: [Event] = []
        for change in kept {
            var next = change.event(changes: 1, netChange: change.isNew(after: seen), since: change.time)
            if events.isEmpty {
                next.droppedCount = held.count - kept.count
                next.changeCount += merged.count
                next.firstChangedAt = merged.first?.time ?? change.time
            }
            events.append(next)
            seen = change.reading
        }
        return events
    }
}
