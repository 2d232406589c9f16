// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The bus: five change logs and the subscribers' positions in them.
///
/// Nothing is pushed. Whoever is ready takes; what was not taken is merged. A subscription is ready when
/// no hold reason stands and something is due; slow, stopped, backgrounded and disconnected subscribers
/// are the same case. Posting visits those who can take it now and nobody else.
///
/// Pure: time is an argument, effects come out of ``nextDelivery()``.
package struct Bus {
    /// Where an aspect's state came from.
    private struct Origin {
        /// The last reading of the aspect's own source.
        var own: Reading?
        /// The state was posted and stands until the source's own reading changes.
        var isPosted = false
        /// Somebody has been told the state.
        var wasTold = false
    }

    /// Names this bus: positions of one instance mean nothing to another.
    package let instance: String
    /// The most changes that a `hold` policy can keep.
    package let history: Int
    /// Grows with each change on the bus.
    package private(set) var sequence: Int

    var logs: AspectTable<ChangeLog>
    private var origins = AspectTable<Origin>(repeating: Origin())
    /// Subscriptions by slot, so that visiting them needs no hashing and has an order that repeats.
    var slots: [Subscription?] = []
    var freeSlots: [Int] = []
    var slotOf: [SubscriptionID: Int] = [:]
    /// Who may be told of an aspect now, by slot.
    var live = AspectTable<[Int32]>(repeating: [])
    /// How many subscriptions are not in the background, by aspect.
    var wakeful = AspectTable<Int>(repeating: 0)
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
        let saved = Dictionary(state.entries.map { ($0.reading.aspect, $0) }, uniquingKeysWith: { $1 })
        logs = AspectTable { aspect in
            let entry =
                saved[aspect]
                ?? SavedState.Entry(generation: 0, sequence: 0, changedAt: time, reading: .unknown(aspect))
            let start = Change(
                generation: entry.generation, sequence: entry.sequence, time: entry.changedAt, reading: entry.reading)
            return ChangeLog(start: start, isEstablished: saved[aspect] != nil, capacity: history)
        }
        for entry in state.entries where entry.isPosted {
            origins[entry.reading.aspect] = Origin(own: entry.ownReading, isPosted: true)
        }
    }

    /// What to save so that a bus can go on from here.
    package var savedState: SavedState {
        let entries = Aspect.allCases.filter { logs[$0].isEstablished }.map { aspect in
            let last = logs[aspect].current
            let origin = origins[aspect]
            return SavedState.Entry(
                generation: last.generation, sequence: last.sequence, changedAt: last.time, reading: last.reading,
                isPosted: origin.isPosted, ownReading: origin.isPosted ? origin.own : nil)
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
        if !logs[aspect].isEstablished && !origins[aspect].wasTold {
            logs[aspect].establish(reading)
            return .established
        }
        return append(reading, at: time, isPosted: false) ? .changed : .same
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
        sequence += 1
        logs[aspect].append(reading, sequence: sequence, at: time, isPosted: isPosted)
        for slot in live[aspect] {
            enqueueIfDue(Int(slot), AspectSet(aspect))
        }
        return true
    }

    // MARK: - State

    /// The current state of an aspect, with its position.
    package mutating func state(of aspect: Aspect) -> Event {
        origins[aspect].wasTold = true
        return logs[aspect].state
    }
}
