// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The bus: a change log for each aspect, and the subscribers' positions in them.
///
/// Nothing is pushed. Whoever is ready takes; what was not taken is merged. A subscription is ready when
/// no hold reason stands and something is due; slow, stopped, backgrounded and disconnected subscribers
/// are the same case. Posting visits those who can take it now and nobody else.
///
/// Pure: time is an argument, effects come out of ``delivery(to:)``.
package struct Bus {
    /// Where an aspect's state came from.
    private struct Origin {
        /// The last reading of the aspect's own source.
        var own: Reading?
        /// The state was posted and stands until the source's own reading changes.
        var isPosted = false
        /// Somebody has been told the state.
        var wasTold = false
        /// The state is one of which only a digest was kept; its source will show whether it is still the same.
        var digest: UInt64?
    }

    /// Names this bus: positions of one instance mean nothing to another.
    package private(set) var instance: String
    /// The most changes that a `hold` policy can keep.
    package let history: Int
    /// Grows with each change on the bus.
    package private(set) var sequence: Int

    var logs: AspectTable<ChangeLog>
    private var origins = AspectTable<Origin>(repeating: Origin())
    /// Subscriptions by slot, so that visiting them needs no hashing and has an order that repeats.
    var slots: [SubscriptionState?] = []
    var freeSlots: [Int] = []
    var slotOf: [SubscriptionID: Int] = [:]
    /// The subscriptions that a change of an aspect can be delivered to now.
    var deliverable = AspectTable<[EntryIndex]>(repeating: [])
    /// The number of subscriptions of an aspect that are in the foreground, or ignore the background.
    var foregroundCounts = AspectTable<Int>(repeating: 0)
    /// Subscriptions that became ready, in the order in which they did.
    var ready: [Int] = []
    var readyHead = 0

    /// Makes a bus that has read nothing yet.
    package init(instance: String, history: Int, at time: Timestamp) {
        self.init(restoring: SavedState(instance: instance, sequence: 0, entries: []), history: history, at: time)
    }

    /// Makes a bus that goes on from a saved state; whatever changed meanwhile is a change.
    ///
    /// - Parameters:
    ///   - state: What ``savedState`` gave.
    ///   - history: How many changes each log keeps, at least 1.
    ///   - time: When the bus starts; aspects without a saved state are as old as this.
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

    /// Goes on as another bus, to which the positions of subscribers mean nothing.
    package mutating func renew(as instance: String) {
        self.instance = instance
    }

    /// What to save so that a bus can go on from here.
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

    /// Takes what an aspect's own source reads.
    ///
    /// A first reading is state, not a change, unless somebody has been told that there was none. A
    /// reading equal to the state is no change. A posted state stands until the source's own reading
    /// changes from one to the next.
    ///
    /// - Parameters:
    ///   - reading: What the source reads now.
    ///   - time: When it was read.
    /// - Returns: What came of it.
    @discardableResult
    package mutating func report(_ reading: Reading, at time: Timestamp) -> Report {
        let aspect = reading.aspect
        let before = origins[aspect].own
        guard before != reading else { return .same }
        origins[aspect].own = reading
        if origins[aspect].isPosted && before == nil { return .same }
        origins[aspect].isPosted = false
        if let digest = origins[aspect].digest { return recall(reading, by: digest, at: time) }
        if !logs[aspect].isEstablished && !origins[aspect].wasTold {
            logs[aspect].establish(reading)
            return .established
        }
        return append(reading, at: time, isPosted: false) ? .changed : .same
    }

    /// Takes the first reading of an aspect of which only a digest was kept.
    private mutating func recall(_ reading: Reading, by digest: UInt64, at time: Timestamp) -> Report {
        origins[reading.aspect].digest = nil
        if reading.digest == digest {
            logs[reading.aspect].establish(reading)
            return .established
        }
        add(reading, at: time, isPosted: false)
        return .changed
    }

    /// What a source's reading was to the bus.
    package enum Report: Sendable {
        /// Nothing new.
        case same
        /// The first reading: state, not a change.
        case established
        /// A change.
        case changed
    }

    /// Takes a synthetic state; it stands until the source's own reading changes, or ``expectRefresh(of:)``.
    ///
    /// - Returns: Whether the state changed; an equal one still stands from now on.
    @discardableResult
    package mutating func post(_ reading: Reading, at time: Timestamp) -> Bool {
        origins[reading.aspect].isPosted = true
        if origins[reading.aspect].digest != nil {
            origins[reading.aspect].digest = nil
            add(reading, at: time, isPosted: true)
            return true
        }
        return append(reading, at: time, isPosted: true)
    }

    /// Makes the next reading of an aspect's own source count, whatever was read or posted before.
    package mutating func expectRefresh(of aspect: Aspect) {
        origins[aspect].own = nil
        origins[aspect].isPosted = false
    }

    private mutating func append(_ reading: Reading, at time: Timestamp, isPosted: Bool) -> Bool {
        let aspect = reading.aspect
        guard logs[aspect].current.reading != reading else { return false }
        add(reading, at: time, isPosted: isPosted)
        return true
    }

    private mutating func add(_ reading: Reading, at time: Timestamp, isPosted: Bool) {
        let aspect = reading.aspect
        sequence += 1
        logs[aspect].append(reading, sequence: sequence, at: time, isPosted: isPosted)
        for index in deliverable[aspect] { enqueueIfDue(index) }
    }

    // MARK: - State

    /// Whether the state of an aspect was posted, and its own source has not read anything else since.
    package func isPosted(_ aspect: Aspect) -> Bool {
        origins[aspect].isPosted
    }

    /// The current state of an aspect, with its position.
    package mutating func state(of aspect: Aspect) -> Event {
        origins[aspect].wasTold = true
        return logs[aspect].state
    }
}
