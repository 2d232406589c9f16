// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleWire
import Varlink

/// A change of the schedule that waits to be saved, and the connection that waits for its reply.
struct ScheduleChange {
    enum Kind {
        case add(ScheduleEntry)
        case cancel(String?)
    }

    /// The approximate size of a record without a value.
    private static let usualSize = 256

    let kind: Kind
    let user: UInt32
    let connection: UInt64

    var size: Int {
        guard case .add(let entry) = kind else { return Self.usualSize }
        return Self.usualSize + (entry.value?.count ?? 0)
    }
}

/// The changes that wait to be saved together.
struct ScheduleChanges {
    private(set) var waiting: [ScheduleChange] = []
    /// The time when some of them may be saved.
    private(set) var due: UInt64?
    /// How much each user's changes have written; a user's excess delays only this user's changes.
    private let shares = UserShares.ofSchedule()

    mutating func add(_ change: ScheduleChange, at now: UInt64) {
        waiting.append(change)
        due = now
    }

    /// Takes the changes that may be saved now, and charges their users.
    mutating func take(at now: UInt64) -> [ScheduleChange] {
        let waits = waiting.map { shares.excess(of: $0.user, at: now) }
        let taken = zip(waiting, waits).filter { $1 == 0 }.map(\.0)
        waiting = zip(waiting, waits).filter { $1 > 0 }.map(\.0)
        due = waits.filter { $0 > 0 }.min().map { now + $0 }
        for change in taken { shares.charge(UInt64(change.size), to: change.user, at: now) }
        return taken
    }
}

/// Changes that are saved together, and answered then.
struct ScheduleBatch {
    let changes: [ScheduleChange]
    /// Whether the file was opened or shortened for them.
    var isRepeated = false
    var results: [Result<any BusReply, CallError>] = []
    var records: [ScheduleRecord] = []
    /// The entries before the changes.
    var former: [(user: UInt32, id: String, item: Schedule.Item?)] = []
}

extension Scheduler {
    /// Adds a change that is answered once it is saved; returns the answer if there is nothing to save.
    mutating func change(_ change: ScheduleChange, _ facts: Facts) throws(CallError) -> CancelReply? {
        if !hasChanges, case .cancel(let id) = change.kind {
            if let id, entries.item(id, of: change.user) == nil { throw .noSuchEntry(id) }
            if entries.count(of: change.user) == 0 { return CancelReply(cancelled: 0) }
        }
        changes.add(change, at: facts.bootClock)
        return nil
    }

    private var hasChanges: Bool { !changes.waiting.isEmpty || batch != nil }

    /// Whether no entry needs the rules of a zone, nor will soon.
    var needsNoZones: Bool { entries.isEmpty && !hasChanges }

    func checkRoom(for entry: ScheduleEntry, of user: UInt32, _ facts: Facts) throws(CallError) {
        guard entries.item(entry.id, of: user) == nil else { return }
        try Quota.entries.check(entries.count(of: user) + 1, atMost: facts.entryLimit)
    }

    /// Carries out the changes that wait, and saves them together; a file that is not open is written first.
    mutating func saveChanges(_ facts: Facts) -> [Effect]? {
        guard storage.work == nil, var batch = batch ?? takeBatch(at: facts.bootClock) else { return nil }
        if facts.file?.isOpen == false, !batch.isRepeated {
            repeatLater(batch)
            return rewrite(facts.file)
        }
        for change in batch.changes {
            do throws(CallError) {
                batch.results.append(.success(try carryOut(change, of: &batch, facts)))
            } catch {
                batch.results.append(.failure(error))
            }
        }
        guard facts.file != nil, !batch.records.isEmpty else { return answers(to: batch, at: facts.wallClock) }
        self.batch = batch
        storage.work = .commit
        storage.areFiringsUnsynced = false
        return [.commit(batch.records)]
    }

    private mutating func takeBatch(at now: UInt64) -> ScheduleBatch? {
        guard budget.batches > 0, let due = changes.due, due <= now else { return nil }
        budget.batches -= 1
        let taken = changes.take(at: now)
        return taken.isEmpty ? nil : ScheduleBatch(changes: taken)
    }

    private mutating func carryOut(
        _ change: ScheduleChange, of batch: inout ScheduleBatch, _ facts: Facts
    ) throws(CallError) -> any BusReply {
        let (user, hasFile) = (change.user, facts.file?.isOpen != false)
        switch change.kind {
        case .add(let entry):
            try checkRoom(for: entry, of: user, facts)
            guard hasFile else { throw .storageExceeded }
            batch.former.append((user, entry.id, entries.item(entry.id, of: user)))
            let item = entries.add(Schedule.Item(user: user, entry: entry, addedAt: facts.wallClock))
            batch.records.append(.added(item))
            return AddReply(next: item.next)
        case .cancel(let id):
            guard hasFile || entries.isEmpty else { throw .storageExceeded }
            let ids = id.map { [$0] } ?? entries.items(of: user).map(\.entry.id)
            let removed = ids.compactMap { entries.remove($0, of: user) }
            if let id, removed.isEmpty { throw .noSuchEntry(id) }
            batch.former += removed.map { (user, $0.entry.id, $0) }
            if !removed.isEmpty { batch.records.append(.removed(ids, user: user)) }
            return CancelReply(cancelled: removed.count)
        }
    }

    /// Answers the changes that were saved, or takes them back.
    mutating func endBatch(_ failure: String?, _ facts: Facts) {
        guard var batch else { return }
        if let failure {
            for (user, id, item) in batch.former.reversed() {
                if let item { entries.add(item) } else { entries.remove(id, of: user) }
            }
            if !batch.isRepeated, facts.file?.canShrink == true { return repeatLater(batch) }
            outbox.append(.log(.error, "the schedule cannot be saved: \(failure)"))
            // A record that could not be removed again is left out now.
            if facts.file?.isOpen == false { storage.needsRewrite = true }
            batch.results = batch.results.map { $0.flatMap { _ in .failure(.storageExceeded) } }
        }
        outbox += answers(to: batch, at: facts.wallClock)
    }

    /// Carries the batch out, or repeats it, once the file has been rewritten.
    private mutating func repeatLater(_ batch: ScheduleBatch) {
        self.batch = ScheduleBatch(changes: batch.changes, isRepeated: true)
        storage.needsRewrite = true
    }

    private mutating func answers(to batch: ScheduleBatch, at time: Int64) -> [Effect] {
        self.batch = nil
        storage.hasGrown = true
        // An entry that was added late is due already.
        if entries.next ?? .max <= time { look() }
        return zip(batch.changes, batch.results).map { .answer($0, $1) }
    }
}

extension CallError {
    /// The schedule cannot be saved; the bus logs the reason.
    static var storageExceeded: CallError { .quotaExceeded(.storage, limit: 0) }
}
