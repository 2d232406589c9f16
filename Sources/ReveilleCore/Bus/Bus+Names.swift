// SPDX-License-Identifier: Apache-2.0

struct PublishedNames: Sendable {
    /// The log of each name that was published, or that a subscription gave.
    private(set) var logs: [Aspect: Int] = [:]
    private(set) var order = NameMap<Int>()
    /// The numbers of names that are not vacant, by user.
    var counts: [UInt32: NameCount] = [:]
    var slotsOfPattern: [Substring: [Int32]] = [:]
    var demand = NameDemandTable()
    /// The logs of chosen domains of the settings; those without subscriptions by the time of the last one.
    var selections: [SelectionLog] = []
    /// Whether names or selections were forgotten that a saved state may contain, with lower generations than they
    /// would get now.
    var hasForgottenNames = false
    var unlogged = Unlogged()

    mutating func add(_ name: Aspect, log: Int) {
        logs[name] = log
        order[name.key] = log
    }

    mutating func remove(_ name: Aspect) {
        logs[name] = nil
        order[name.key] = nil
    }

    /// Returns the logs of the names that patterns match, each once.
    func logs(of patterns: some Sequence<Aspect>) -> [Int] { order.below(patterns.map(\.key)) }

    /// Adds a log to the counts of a user, or removes it.
    mutating func count(_ difference: Int, isLive: Bool, for user: UInt32) {
        var count = counts[user] ?? NameCount()
        count.kept += difference
        if isLive { count.live += difference }
        counts[user] = count.kept == 0 ? nil : count
    }
}

package struct NameCount: Sendable, Hashable {
    package internal(set) var live = 0
    /// The published names, and the names whose withdrawal a subscription has not seen yet.
    package internal(set) var kept = 0
    /// The number of withdrawn names at which ``Bus/limitWithdrawnNames(of:to:)`` looks again for names to forget.
    var nextLimit = 0
}

extension Bus {
    /// The most changes that one value can stand for, so that no publisher exhausts the bus's numbers: a hundred a
    /// second would take three hours.
    package static let targetDistance = 1_000_000

    /// Sets the state of a name, or withdraws it if there is no value; returns whether the state changed.
    ///
    /// An equal value is not a change, but its publisher replaces the previous publisher. Withdrawing a name that is
    /// not published has no effect. The caller has checked the name and the publisher; the value is canonical.
    ///
    /// If the name has an earlier generation than `target`, the value stands for all changes up to there, even if it is
    /// equal. So a repeated publication counts no change twice.
    @discardableResult
    package mutating func publish(
        _ name: Aspect, _ bytes: [UInt8]?, by publisher: Publisher, at time: Timestamp, target: Int? = nil
    ) -> Bool {
        guard let index = nameTable.logs[name] ?? (bytes == nil ? nil : addLog(of: name, at: time)) else {
            return false
        }
        let wasLive = logs[index].isLive
        if bytes != nil {
            if logs[index].isVacant { addEntriesOfPatterns(to: index) }
            assign(index, to: publisher)
        }
        let value = PublishedValue(name, bytes: bytes)
        let times = bytes == nil ? 0 : (target ?? 0) - logs[index].changes.current.generation
        let isCounted = (1...Self.targetDistance).contains(times)
        if isCounted {
            sequence += times
            logs[index].changes.append(value, times: times, areFirings: false, sequence: sequence, at: time)
            notifyListeners(of: index)
        }
        let isChange = isCounted || append(.published(value), to: index, at: time, isPosted: false)
        let isLive = logs[index].isLive
        if let user = logs[index].publisher?.user, wasLive != isLive {
            nameTable.counts[user, default: NameCount()].live += isLive ? 1 : -1
        }
        if !isLive { logs[index].publisher?.connection = nil }
        settle(index)
        return isChange
    }

    /// Returns the publisher of a name; `nil` if it is not published now.
    package func publisher(of name: Aspect) -> Publisher? {
        nameTable.logs[name].flatMap { logs[$0].isLive ? logs[$0].publisher : nil }
    }

    /// Returns whether a subscription includes a name, by itself or by a pattern.
    package func hasSubscribers(_ name: Aspect) -> Bool {
        nameTable.logs[name].map { logs[$0].entryCount > 0 } ?? false
    }

    /// Returns whether a subscription includes a name, or would if it were published.
    package func isWanted(_ name: Aspect) -> Bool {
        hasSubscribers(name)
            || !nameTable.slotsOfPattern.isEmpty && name.prefixes.contains { nameTable.slotsOfPattern[$0] != nil }
    }

    package func names(of user: UInt32) -> NameCount {
        nameTable.counts[user] ?? NameCount()
    }

    /// The names that are published now or that subscriptions gave, in order.
    package var names: [Aspect] {
        nameTable.order.values.filter { logs[$0].isLive || logs[$0].literalCount > 0 }.map { logs[$0].aspect }
    }

    package var hasForgottenNames: Bool {
        get { nameTable.hasForgottenNames }
        set { nameTable.hasForgottenNames = newValue }
    }

    /// Returns aspects with each pattern replaced by the names that it matches and that are published now.
    package func expand(_ aspects: AspectSet) -> [Aspect] {
        let literals = aspects.names.filter { !$0.isPattern }
        let live = nameTable.logs(of: aspects.names.filter(\.isPattern)).filter { logs[$0].isLive }
            .map { logs[$0].aspect }.filter { !literals.contains($0) }
        return aspects.builtIn.map { Aspect($0) } + (literals + live).sorted()
    }

    mutating func assign(_ index: Int, to publisher: Publisher) {
        if let before = logs[index].publisher, before.user != publisher.user {
            count(index, for: before.user, -1)
            logs[index].publisher = nil
        }
        if logs[index].publisher == nil { count(index, for: publisher.user, 1) }
        logs[index].publisher = publisher
        if publisher.connection != nil {
            logs[index].tiedSequence = .max
        } else if logs[index].tiedSequence == .max {
            logs[index].tiedSequence = sequence
        }
    }

    /// Adds or removes a log in the counts of its user.
    mutating func count(_ index: Int, for user: UInt32, _ difference: Int) {
        nameTable.count(difference, isLive: logs[index].isLive, for: user)
    }

    /// Adds the log of a name, whose generations begin above every one that was ever delivered.
    mutating func addLog(of name: Aspect, at time: Timestamp) -> Int {
        let index = add(
            AspectLog(
                aspect: name, changes: ChangeLog(absent: name, sequence: sequence, capacity: history, at: time)))
        nameTable.add(name, log: index)
        return index
    }

    mutating func add(_ log: AspectLog) -> Int {
        let index = freeLogs.popLast() ?? logs.count
        if index == logs.count { logs.append(log) } else { logs[index] = log }
        return index
    }

    /// Releases a log without entries.
    mutating func removeLog(_ index: Int) {
        let aspect = logs[index].aspect
        logs[index] = AspectLog(
            aspect: aspect, changes: ChangeLog(absent: aspect, sequence: 0, capacity: 1, at: Timestamp(microseconds: 0))
        )
        freeLogs.append(index)
    }

    /// Adds a formerly vacant name to the subscriptions with matching patterns.
    mutating func addEntriesOfPatterns(to index: Int) {
        let name = logs[index].aspect
        let literal = Set(logs[index].listeners.map { entries[Int($0)].slot })
        for prefix in name.prefixes {
            for slot in nameTable.slotsOfPattern[prefix] ?? [] where !literal.contains(slot) {
                // Another pattern of the same subscription may match too.
                guard let policies = profiles[Int(slot)]?.policies, let first = slots[Int(slot)]?.firstEntry else {
                    continue
                }
                if first >= 0, entries[Int(first)].log == Int32(index) { continue }
                addEntry(
                    to: Int(slot), of: index, seen: logs[index].changes.current, isLiteral: false,
                    policy: policies[name])
            }
        }
    }

    /// Makes a name vacant once all subscriptions have seen its withdrawal, and forgets it if no subscription gave it.
    mutating func settle(_ index: Int) {
        guard logs[index].isQuiet, logs[index].listeners.allSatisfy({ !hasPending($0) }) else { return }
        if logs[index].entryCount > logs[index].literalCount {
            let ofPatterns = logs[index].listeners.filter { !entries[Int($0)].isLiteral }
            if let last = ofPatterns.max(by: { earliestEvent($0) < earliestEvent($1) }), earliestEvent(last) > clock {
                // If the name is published again before that time, its event still has to wait.
                return paced.insert(last, due: earliestEvent(last))
            }
            for entry in ofPatterns { release(entry) }
        }
        if let publisher = logs[index].publisher { count(index, for: publisher.user, -1) }
        // The log of the bus charges its last changes to the publisher.
        forgetIfUngiven(index)
        logs[index].publisher = nil
    }

    /// Releases the log of a vacant name that no subscription gave.
    mutating func forgetIfUngiven(_ index: Int) {
        guard logs[index].literalCount == 0 else { return }
        keepUnlogged(of: index)
        nameTable.remove(logs[index].aspect)
        nameTable.hasForgottenNames = true
        removeLog(index)
    }

    /// Returns whether an entry has changes that its subscription has not seen, even if none is due.
    private func hasPending(_ entry: Int32) -> Bool {
        let entry = entries[Int(entry)]
        return (entry.seen?.generation ?? 0) < logs[Int(entry.log)].changes.current.generation
    }

    /// Returns the time before which the interval of an entry's policy allows no event.
    private func earliestEvent(_ entry: Int32) -> UInt64 {
        let policy = entries[Int(entry)].policy
        return policy < 0 ? 0 : policies[Int(policy)].nextEvent
    }
}
