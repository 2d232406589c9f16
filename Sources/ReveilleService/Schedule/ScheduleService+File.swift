// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension ScheduleService {
    /// Whether nothing needs the file.
    var isEmpty: Bool { schedule.isEmpty && launches.isEmpty && children.isEmpty }

    /// The whole schedule, without the firings of an instance; their number is given.
    func records(of instance: String, firings: Int) -> [ScheduleRecord] {
        let launching = launches.programs.flatMap { program in
            program.waiting.filter { !program.sent.contains($0.key) }.sorted { $0.key < $1.key }.map { _, waiting in
                ScheduleRecord.launching(
                    .init(command: program.command, starts: program.starts, instance: instance, waiting: waiting))
            }
        }
        return [.began(instance: instance, firings: firings)] + schedule.all.map { .added($0) } + launching
            + children.all.map { .running($0.command, $0.process) }
    }

    /// Saves changes that have been made already; the reason why it cannot is logged.
    func save(_ records: [ScheduleRecord]) {
        guard let file = services.file else { return }
        guard file.isOpen || file.isChanging else { return rewriteFile() }
        attempt(orLog: "the schedule cannot be saved") { () throws(SystemError) in
            try file.append(records, areChanges: false)
        }
        tidyFile()
    }

    /// Continues with what has waited for the disk; each step may make the next ones wait again.
    func proceed() {
        fire()
        tidyFile()
        commitChanges()
        syncFirings()
    }

    /// Shortens the file if it is much longer than necessary, and removes it if the schedule is over.
    func tidyFile() {
        guard let file = services.file, file.isLong || isEmpty && file.isOpen else { return }
        rewriteFile()
    }

    /// Rewrites the file without the firings, after the bus's state includes them; removes the file if nothing is left.
    ///
    /// If an outdated state can neither be replaced nor removed, the file is always kept, so that the next bus notices.
    /// Calls back unless something else waits for the disk; by default, it continues with what has waited.
    func rewriteFile(isNeeded: Bool = false, then completion: ((_ isOpen: Bool) -> Void)? = nil) {
        guard let file = services.file, !file.isBusy else { return }
        areFiringsUnsynced = false
        let isSettled = access.settleState()
        let end = { [weak self] (failure: SystemError?) in
            guard let self else { return }
            if let failure { logger.error("the schedule cannot be saved: \(failure)") }
            let canFire = schedule.isEmpty || file.takesFirings
            if !canFire {
                attempt { () throws(SystemError) in try self.retry() }
            } else if failure == nil {
                timers.retry = nil
            }
            if let completion { return completion(failure == nil) }
            if failure == nil, canFire { fire() }
            commitChanges()
            syncFirings()
        }
        if isEmpty, isSettled, !isNeeded {
            file.remove(on: loop, then: end)
        } else {
            file.replace(with: records(of: bus.instance, firings: bus.firings), on: loop, then: end)
        }
    }

    /// Lets the firings reach the disk, which nobody waits for: only a loss of power could undo them until then.
    func syncFirings() {
        guard let file = services.file, areFiringsUnsynced, !file.isBusy else { return }
        areFiringsUnsynced = false
        file.sync(on: loop) { [weak self] failure in
            if let failure { self?.logger.error("the schedule: \(failure)") }
            self?.proceed()
        }
    }
}

extension CallError {
    /// The schedule cannot be saved; the bus logs the reason.
    static var storageExceeded: CallError { .quotaExceeded(.storage, limit: 0) }
}
