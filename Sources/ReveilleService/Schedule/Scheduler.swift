// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleWire
import Varlink

/// The schedule of a bus as a value: its entries, their firings, and the programs that are started for them.
///
/// Inputs change it. ``settle(_:)`` then returns the next effects, until nothing is left for this turn. A firing is
/// recorded before it is published, and never while a change waits for the disk: a change that fails must not have fired.
struct Scheduler: ~Copyable {
    /// The facts about its file that the schedule needs.
    struct File {
        /// Whether records can be appended: the file exists and is intact.
        var isOpen: Bool
        /// Whether it is open, and has room for firings.
        var takesFirings: Bool
        /// Whether the file is much longer than necessary.
        var isLong: Bool
        /// Whether the file has records that are not needed any more.
        var canShrink: Bool
    }

    struct Facts {
        var wallClock: Int64
        var bootClock: UInt64
        /// The most entries of a user.
        var entryLimit: Int
        /// `nil` if entries end with the bus.
        var file: File?
    }

    enum Effect {
        /// Saves changes that have been made already.
        case append([ScheduleRecord])
        /// Writes the file anew, or removes it if the state of the bus allows this; answered by ``saved(_:_:)``.
        case rewrite(canRemove: Bool)
        /// Saves changes that callers wait for; answered by ``saved(_:_:)``.
        case commit([ScheduleRecord])
        /// Syncs the file to the disk; answered by ``saved(_:_:)``.
        case sync
        case answer(ScheduleChange, Result<any BusReply, CallError>)
        /// Checks due entries and makes their firings; answered by ``checked(_:_:at:)``.
        case makeFirings([Schedule.Due])
        /// Saves the state of the bus if it is outdated: records contain firings only.
        case saveState
        /// Saves firings; answered by ``recorded(_:_:)``.
        case record([ScheduleRecord.Passed])
        /// Changes the logs of the names; answered by ``published(wanted:_:)``.
        case publish([Firing])
        case start([String], positions: [Aspect: Int])
        case loadZones([String], at: Int64)
        /// Sets the alarm, or removes it.
        case setAlarm(Int64?)
        /// Lets the machine wake at a time, or never.
        case setWake(Int64?)
        case log(Logger.Level, String)
    }

    /// The work that a turn may still do before other sources have theirs.
    struct Budget {
        var batches = 1
        var firings = 256
        var starts = LaunchQueue.startsPerTurn
    }

    var entries = Schedule()
    var programs: ScheduledPrograms
    var changes = ScheduleChanges()
    /// The changes that are carried out now.
    var batch: ScheduleBatch?
    var firing: FiringBatch?
    var storage = ScheduleStorage()
    var clock: ScheduleClock
    var budget = Budget()
    /// The effects of inputs.
    var outbox: [Effect] = []

    /// Whether nothing needs the file.
    var isEmpty: Bool { entries.isEmpty && programs.isEmpty }

    /// The time of the next ``beginTurn(_:)``; `nil` while there is none.
    var next: UInt64? {
        let commit = batch == nil && storage.work == nil ? changes.due : nil
        return [commit, storage.retry, programs.queue.next].compactMap(\.self).min()
    }

    mutating func beginTurn(_ facts: Facts) {
        budget = Budget()
        guard let retry = storage.retry, retry <= facts.bootClock else { return }
        storage.retry = nil
        // Without an alarm meanwhile, a change of the clock went unnoticed.
        returnToPresent(at: facts.wallClock)
    }

    /// Returns the effects of the first step that has some.
    mutating func settle(_ facts: Facts) -> [Effect] {
        // The file is removed with the last entry before its caller is answered from the outbox.
        saveRecords(facts.file) ?? continueFiring(facts) ?? fire(facts) ?? rewrite(facts.file) ?? takeOutbox()
            ?? saveChanges(facts) ?? syncFirings(facts.file) ?? startProgram(facts) ?? loadZones(facts)
            ?? setAlarms(facts)
    }

    private mutating func takeOutbox() -> [Effect]? {
        defer { outbox = [] }
        return outbox.isEmpty ? nil : outbox
    }
}
