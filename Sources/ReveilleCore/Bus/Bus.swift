// SPDX-License-Identifier: Apache-2.0

/// A change log for each aspect, and the positions of the subscribers in the logs.
///
/// A ready subscription takes its events; until then its changes are merged. It is ready when nothing holds it and
/// something is due, so slow, stopped, backgrounded and disconnected subscribers are the same case. A change costs
/// time only for the subscriptions that have taken the change before it.
package struct Bus: ~Copyable {
    /// The identifier of this bus; positions are valid for one instance only.
    package private(set) var instance: String
    /// The largest number of changes that a `hold` policy can keep.
    package private(set) var history: Int
    /// The number of changes on the bus.
    package internal(set) var sequence: Int
    /// The number of the last firing of the schedule.
    package internal(set) var firings: Int

    /// The logs: built-in aspects first, by index, then names and lifecycles.
    var logs: [AspectLog] = []
    var freeLogs: [Int] = []
    var nameTable = PublishedNames()
    /// Subscriptions by slot, which makes visits fast and their order deterministic.
    var slots: [SubscriptionState?] = []
    var profiles: [SubscriptionProfile?] = []
    var freeSlots: [Int] = []
    var slotOf: [SubscriptionID: Int32] = [:]
    var entries: [Entry] = []
    var freeEntries: [Int32] = []
    var policies: [PolicyState] = []
    var freePolicies: [Int32] = []
    /// The entries that wait for the interval of their policy: with a change, or to be released with a vacant name.
    var paced = PaceQueue()
    /// The latest known time in microseconds since boot.
    var clock: UInt64 = 0
    var foreground = ForegroundTable()
    /// The log of the lifecycle of each subscription that named it, by slot.
    var lifecycles: [Int32: Int] = [:]
    var ready = ReadyQueue()

    /// Creates a bus that continues from a saved state; differences from the saved readings are changes.
    ///
    /// The states of aspects that were not saved are unknown since the given time.
    package init(restoring state: SavedState, history: Int, at time: Timestamp) {
        precondition(history >= 1, "a log keeps at least its last change")
        instance = state.instance
        sequence = state.sequence
        firings = state.firings
        self.history = history
        let saved = Dictionary(state.entries.map { ($0.state.aspect, $0) }, uniquingKeysWith: { $1 })
        for aspect in BuiltInAspect.allCases.map({ Aspect($0) }) {
            logs.append(
                aspect.builtIn?.kind == .stream
                    ? AspectLog(unsampled: aspect, sequence: sequence, history, at: time)
                    : AspectLog(restoring: saved[aspect], of: aspect, history, at: time))
        }
        for entry in state.entries where entry.state.aspect.isPublished && nameTable.logs[entry.state.aspect] == nil {
            let index = logs.count
            nameTable.add(entry.state.aspect, log: index)
            logs.append(AspectLog(restoring: entry, of: entry.state.aspect, history, at: time))
            if let publisher = logs[index].publisher {
                nameTable.count(1, isLive: logs[index].isLive, for: publisher.user)
            }
        }
        nameTable.unlogged = Unlogged(after: sequence)
        restoreSelections(state.selections)
    }

    /// Continues as another instance, which invalidates the positions of all subscribers.
    package mutating func renew(as instance: String) {
        self.instance = instance
        firings = 0
    }

    /// The state from which another bus can continue.
    ///
    /// Names whose states are tied to connections are not part of it: another bus has no such connections. Only their
    /// withdrawals are counted, so that the sequence is above every position of such a name. Samples are not part of it
    /// either. Once there are samples, the saved sequence is an upper limit, at most ``sampleReserve`` changes ahead.
    package var savedState: SavedState {
        let kept = logs.filter { log in
            guard log.aspect.isPublished else { return log.changes.isEstablished && log.isSaved }
            return !log.isTied && (log.isLive || log.entryCount > 0)
        }
        var sequence = sequence + logs.count(where: \.isTied)
        if logs.contains(where: \.hasSamples) { sequence = (sequence / Self.sampleReserve + 1) * Self.sampleReserve }
        return SavedState(
            instance: instance, sequence: sequence, entries: kept.map(\.savedEntry), selections: savedSelections,
            firings: firings)
    }

    /// The number of sequences that a saved state reserves for samples, so that it is not written for each sample.
    ///
    /// At 100 samples a second, it is written once in almost three hours.
    package static let sampleReserve = 1 << 20

    /// Returns whether the last change, of an aspect of the device, makes an earlier saved state outdated.
    ///
    /// A sample does so only if its sequence may exceed the saved sequence.
    package func mustSaveChange(of aspect: BuiltInAspect) -> Bool {
        guard aspect.kind == .stream else { return true }
        let changes = logs[aspect.index].changes
        return changes.current.generation <= changes.start + 1 || sequence % Self.sampleReserve == 0
    }

    /// Takes a reading of an aspect's own source; returns whether the state is new: the first reading, or a change.
    ///
    /// An equal reading is not a change, unless it is an occurrence or a sample. The first reading is a change only if a
    /// client has received the unknown state before. A posted state remains until the source's own reading changes.
    @discardableResult
    package mutating func report(_ reading: Reading, at time: Timestamp) -> Bool {
        guard let index = reading.aspect.builtIn?.index else { return false }
        let before = logs[index].origin.own
        guard before != reading || reading.isOccurrence else { return false }
        logs[index].origin.own = reading
        if logs[index].origin.isPosted && before == nil && !reading.isOccurrence { return false }
        logs[index].origin.isPosted = false
        let isChange =
            logs[index].origin.digest.map { $0 != reading.digest }
            ?? (logs[index].changes.isEstablished || logs[index].origin.wasReturned || reading.isOccurrence)
        if isChange { return append(reading, to: index, at: time, isPosted: false) }
        logs[index].origin.digest = nil
        logs[index].changes.establish(reading)
        keepFirstReading(of: index, at: time)
        if !nameTable.selections.isEmpty, case .defaults = reading {
            followSettings(isChange: false, isPosted: false, at: time)
        }
        return true
    }

    /// Sets a synthetic state, which remains until the source's own reading changes, or ``expectRefresh(of:)``.
    ///
    /// - Returns: Whether the state changed; a state equal to the current one also counts as posted.
    @discardableResult
    package mutating func post(_ reading: Reading, at time: Timestamp) -> Bool {
        guard let index = reading.aspect.builtIn?.index else { return false }
        logs[index].origin.isPosted = true
        return append(reading, to: index, at: time, isPosted: true)
    }

    /// Makes the next reading of an aspect's own source replace the state, even a posted one.
    package mutating func expectRefresh(of aspect: BuiltInAspect) {
        logs[aspect.index].origin.own = nil
        logs[aspect.index].origin.isPosted = false
    }

    /// Adds a change, unless the reading is equal to a state that is known in full.
    mutating func append(_ reading: Reading, to index: Int, at time: Timestamp, isPosted: Bool) -> Bool {
        guard logs[index].append(reading, sequence: sequence + 1, at: time, isPosted: isPosted) else { return false }
        sequence += 1
        notifyListeners(of: index)
        if !nameTable.selections.isEmpty, case .defaults = reading {
            followSettings(isChange: true, isPosted: isPosted, at: time)
        }
        return true
    }

    /// Returns whether the state of an aspect was posted, and its own source has not changed since.
    package func isPosted(_ aspect: BuiltInAspect) -> Bool {
        logs[aspect.index].origin.isPosted
    }

    /// Returns the position of the current state of an aspect for a client.
    package mutating func position(of aspect: Aspect) -> (generation: Int, sequence: Int) {
        guard let index = log(of: aspect) else { return (sequence, sequence) }
        logs[index].origin.wasReturned = true
        return logs[index].changes.position
    }

    /// Returns the current state of an aspect for a client, with its position.
    package mutating func state(of aspect: Aspect, at time: Timestamp, omitsSupply: Bool = false) -> Event {
        guard let index = log(of: aspect) else {
            return ChangeLog(absent: aspect, sequence: sequence, capacity: 1, at: time).state()
        }
        logs[index].origin.wasReturned = true
        return logs[index].changes.state(omitsSupply: omitsSupply)
    }

    package mutating func states(of aspects: AspectSet, at time: Timestamp) -> [Event] {
        expand(aspects).map { state(of: $0, at: time) }
    }

    /// Returns the latest changes of an aspect, not a pattern, that its log keeps, oldest first; a limit is at least 1.
    ///
    /// The last change before a restart is among them, but not the state of an aspect that has never changed.
    package func changes(of aspect: Aspect, limit: Int? = nil, omitsSupply: Bool = false) -> [Event] {
        log(of: aspect).map { logs[$0].changes.events(limit: limit, omitsSupply: omitsSupply) } ?? []
    }

    /// Returns one of these changes by its generation; `nil` if the log has dropped it.
    package func change(of aspect: Aspect, at generation: Int, omitsSupply: Bool) -> Event? {
        log(of: aspect).flatMap { logs[$0].changes.event(at: generation, omitsSupply: omitsSupply) }
    }

    /// The index of an aspect's log; `nil` for a name that the bus does not know.
    func log(of aspect: Aspect) -> Int? {
        aspect.builtIn?.index ?? nameTable.logs[aspect]
    }
}

extension AspectLog {
    fileprivate var hasSamples: Bool { isStream && changes.current.generation > changes.start }

    /// Creates the log of a stream, which begins anew above every position in an earlier one.
    fileprivate init(unsampled aspect: Aspect, sequence: Int, _ capacity: Int, at time: Timestamp) {
        self.aspect = aspect
        changes = ChangeLog(absent: aspect, sequence: sequence, capacity: capacity, at: time)
    }

    fileprivate init(restoring entry: SavedState.Entry?, of aspect: Aspect, _ capacity: Int, at time: Timestamp) {
        self.aspect = aspect
        let start = Change(
            generation: entry?.generation ?? 0, sequence: entry?.sequence ?? 0, time: entry?.changedAt ?? time,
            reading: entry?.state.reading ?? .unknown(aspect))
        // A name without a publisher was saved only because a subscription gave it.
        let isEstablished = entry.map { !aspect.isPublished || $0.publisher != nil } ?? false
        changes = ChangeLog(
            start: start, isEstablished: isEstablished, after: entry?.start,
            equal: entry.flatMap { $0.state.reading == nil ? nil : $0.equal } ?? [], capacity: capacity)
        guard let entry else { return }
        if isLive { publisher = entry.publisher ?? Publisher(user: 0) }
        if entry.isPosted { origin = Origin(own: entry.ownReading, isPosted: true) }
        if case .digest(let digest, _) = entry.state { origin.digest = digest }
    }

    fileprivate var savedEntry: SavedState.Entry {
        let last = changes.current
        return SavedState.Entry(
            generation: last.generation, sequence: last.sequence, changedAt: last.time,
            state: origin.digest.map { .digest($0, of: aspect) } ?? KeptReading(last.reading),
            isPosted: origin.isPosted,
            ownReading: origin.isPosted ? origin.own.flatMap { KeptReading($0).reading } : nil,
            publisher: isLive ? publisher : nil, start: aspect.builtIn == nil ? changes.start : nil,
            equal: changes.equalGenerations)
    }
}
