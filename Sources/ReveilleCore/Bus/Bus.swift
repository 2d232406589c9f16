// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A change log for each aspect, and the positions of the subscribers in the logs.
///
/// A ready subscription takes its events; until then its changes are merged. It is ready when nothing holds it and
/// something is due, so slow, stopped, backgrounded and disconnected subscribers are the same case. A change costs
/// time only for the subscriptions that can take it now.
package struct Bus {
    /// The origin of an aspect's state.
    private struct Origin {
        /// The last reading of the aspect's own source.
        var own: Reading?
        /// Whether the state was posted.
        var isPosted = false
        /// Whether a client has received the state.
        var wasReturned = false
        /// The digest of the saved state, until the source is read: only then is it known whether the state is the same.
        var digest: UInt64?
    }

    /// The identifier of this bus; positions are valid for one instance only.
    package private(set) var instance: String
    /// The largest number of changes that a `hold` policy can keep.
    package let history: Int
    /// The number of changes on the bus.
    package private(set) var sequence: Int

    var logs: AspectTable<ChangeLog>
    private var origins = AspectTable<Origin>(repeating: Origin())
    /// Subscriptions by slot, which makes visits fast and their order deterministic.
    var slots: [SubscriptionState?] = []
    var freeSlots: [Int] = []
    var slotOf: [SubscriptionID: Int] = [:]
    /// The subscriptions to which a change of an aspect can be delivered now.
    var deliverable = AspectTable<[EntryIndex]>(repeating: [])
    /// The number of subscriptions to an aspect that are in the foreground, or ignore the background.
    var foregroundCounts = AspectTable<Int>(repeating: 0)
    /// The slots of ready subscriptions, in the order in which they became ready.
    var ready: [Int] = []
    var readyHead = 0

    /// Creates a bus that continues from a saved state; differences from the saved readings are changes.
    ///
    /// - Parameters:
    ///   - state: The result of ``savedState``.
    ///   - history: The number of changes that each log keeps, at least 1.
    ///   - time: The time of the unknown states of aspects that were not saved.
    package init(restoring state: SavedState, history: Int, at time: Timestamp) {
        precondition(history >= 1, "a log keeps at least its last change")
        instance = state.instance
        sequence = state.sequence
        self.history = history
        let saved = Dictionary(state.entries.map { ($0.state.aspect, $0) }, uniquingKeysWith: { $1 })
        logs = AspectTable { aspect in
            let entry = saved[aspect]
            let start = Change(
                generation: entry?.generation ?? 0, sequence: entry?.sequence ?? 0, time: entry?.changedAt ?? time,
                reading: entry?.state.reading ?? .unknown(aspect))
            return ChangeLog(start: start, isEstablished: entry != nil, capacity: history)
        }
        for (aspect, entry) in saved {
            if entry.isPosted { origins[aspect] = Origin(own: entry.ownReading, isPosted: true) }
            if case .digest(let digest, _) = entry.state { origins[aspect].digest = digest }
        }
    }

    /// Continues as another instance, which invalidates the positions of all subscribers.
    package mutating func renew(as instance: String) {
        self.instance = instance
    }

    /// The state from which another bus can continue.
    package var savedState: SavedState {
        let entries = Aspect.allCases.filter { logs[$0].isEstablished }.map { aspect in
            let last = logs[aspect].current
            let origin = origins[aspect]
            return SavedState.Entry(
                generation: last.generation, sequence: last.sequence, changedAt: last.time,
                state: origin.digest.map { .digest($0, of: aspect) } ?? KeptReading(last.reading),
                isPosted: origin.isPosted,
                ownReading: origin.isPosted ? origin.own.flatMap { KeptReading($0).reading } : nil)
        }
        return SavedState(instance: instance, sequence: sequence, entries: entries)
    }

    // MARK: - Changes

    /// Takes a reading of an aspect's own source.
    ///
    /// A reading equal to the state is not a change. The first reading is a change only if a client has received the
    /// unknown state before. A posted state remains until the source's own reading changes.
    ///
    /// - Returns: Whether the state is new: the first reading, or a change.
    @discardableResult
    package mutating func report(_ reading: Reading, at time: Timestamp) -> Bool {
        let aspect = reading.aspect
        let before = origins[aspect].own
        guard before != reading else { return false }
        origins[aspect].own = reading
        if origins[aspect].isPosted && before == nil { return false }
        origins[aspect].isPosted = false
        let isChange =
            origins[aspect].digest.map { $0 != reading.digest }
            ?? (logs[aspect].isEstablished || origins[aspect].wasReturned)
        if isChange { return append(reading, at: time, isPosted: false) }
        origins[aspect].digest = nil
        logs[aspect].establish(reading)
        return true
    }

    /// Sets a synthetic state, which remains until the source's own reading changes, or ``expectRefresh(of:)``.
    ///
    /// - Returns: Whether the state changed; one equal to the current state also counts as posted.
    @discardableResult
    package mutating func post(_ reading: Reading, at time: Timestamp) -> Bool {
        origins[reading.aspect].isPosted = true
        return append(reading, at: time, isPosted: true)
    }

    /// Makes the next reading of an aspect's own source replace the state, even a posted one.
    package mutating func expectRefresh(of aspect: Aspect) {
        origins[aspect].own = nil
        origins[aspect].isPosted = false
    }

    /// Adds a change, unless the reading is equal to a state that is known in full.
    private mutating func append(_ reading: Reading, at time: Timestamp, isPosted: Bool) -> Bool {
        let aspect = reading.aspect
        guard origins[aspect].digest != nil || logs[aspect].current.reading != reading else { return false }
        origins[aspect].digest = nil
        sequence += 1
        logs[aspect].append(reading, sequence: sequence, at: time, isPosted: isPosted)
        for index in deliverable[aspect] { enqueueIfDue(index) }
        return true
    }

    // MARK: - State

    /// Returns whether the state of an aspect was posted, and its own source has not changed since.
    package func isPosted(_ aspect: Aspect) -> Bool {
        origins[aspect].isPosted
    }

    /// Returns the current state of an aspect for a client, with its position.
    package mutating func state(of aspect: Aspect) -> Event {
        origins[aspect].wasReturned = true
        return logs[aspect].state
    }

    /// Returns the latest changes of an aspect that its log keeps.
    ///
    /// - Parameters:
    ///   - aspect: The aspect.
    ///   - limit: The largest number of events, at least 1; `nil` for all changes.
    /// - Returns: An event for each change, oldest first. The last change before a restart is among them, but not the
    ///   state of an aspect that has never changed.
    package func changes(of aspect: Aspect, limit: Int? = nil) -> [Event] {
        logs[aspect].events(limit: limit)
    }
}
