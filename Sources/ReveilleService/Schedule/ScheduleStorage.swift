// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore

/// The work of a schedule's file.
struct ScheduleStorage {
    enum Work { case commit, rewrite, sync }

    /// The pause before firings that could not be saved are tried again, in microseconds.
    private static let pause: UInt64 = 10_000_000

    /// The work that waits for the disk.
    var work: Work?
    /// The records of changes that have been made already.
    var unsaved: [ScheduleRecord] = []
    var needsRewrite = false
    /// Whether records were appended since the file was last written anew.
    var hasGrown = false
    /// Whether a loss of power could undo firings.
    var areFiringsUnsynced = false
    /// The time when firings that could not be saved, or an alarm that could not be set, are tried again.
    var retry: UInt64?

    mutating func retryLater(than now: UInt64) { retry = retry ?? now + Self.pause }
}

extension Scheduler {
    /// Returns the effects that save changes made already; they come before a subscriber is sent firings.
    mutating func saveRecords(_ file: File?) -> [Effect]? {
        guard !storage.unsaved.isEmpty else { return nil }
        defer { storage.unsaved = [] }
        guard let file else { return nil }
        guard file.isOpen || storage.work == .rewrite else {
            storage.needsRewrite = true
            return nil
        }
        storage.hasGrown = true
        return [.append(storage.unsaved)]
    }

    /// Rewrites the file if this is due, or if it is much too long; removes it if the schedule is empty.
    mutating func rewrite(_ file: File?) -> [Effect]? {
        guard let file, storage.work == nil else { return nil }
        guard storage.needsRewrite || storage.hasGrown && (file.isLong || isEmpty && file.isOpen) else { return nil }
        storage.work = .rewrite
        storage.needsRewrite = false
        storage.hasGrown = false
        storage.areFiringsUnsynced = false
        return [.rewrite(canRemove: isEmpty && batch == nil)]
    }

    /// Syncs the firings to the disk; no caller waits for this, since only a loss of power could undo them until then.
    mutating func syncFirings(_ file: File?) -> [Effect]? {
        guard file != nil, storage.areFiringsUnsynced, storage.work == nil else { return nil }
        storage.work = .sync
        storage.areFiringsUnsynced = false
        return [.sync]
    }

    /// Notes that the work on the disk has ended, and the reason if it failed.
    mutating func saved(_ failure: String?, _ facts: Facts) {
        let work = storage.work
        storage.work = nil
        switch work {
        case .commit: endBatch(failure, facts)
        case .rewrite:
            if let failure { outbox.append(.log(.error, "the schedule cannot be saved: \(failure)")) }
            if facts.file?.takesFirings == false, !entries.isEmpty {
                storage.retryLater(than: facts.bootClock)
            } else if failure == nil {
                storage.retry = nil
            }
        case .sync, nil: if let failure { outbox.append(.log(.error, "the schedule: \(failure)")) }
        }
    }

    /// The whole schedule, without the firings of an instance; their number is given.
    func records(of instance: String, firings: Int) -> [ScheduleRecord] {
        [.began(instance: instance, firings: firings)] + entries.all.map { .added($0) } + programs.records(of: instance)
    }
}
