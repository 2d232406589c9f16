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

    /// Saves changes that have been made already, and returns whether it succeeded; the reason why not is logged.
    func save(_ records: [ScheduleRecord], isDurable: Bool) -> Bool {
        guard let file = services.file else { return true }
        guard file.isOpen else { return rewriteFile() }
        let isSaved = attempt(orLog: "the schedule cannot be saved") { () throws(SystemError) in
            try file.append(records, isDurable: isDurable)
        }
        if isSaved { tidyFile() }
        return isSaved
    }

    /// Opens the file for a change that is refused if it cannot be saved; an append can be undone.
    func prepareFile() throws(CallError) {
        guard let file = services.file, !file.isOpen else { return }
        guard rewriteFile(isNeeded: true) else { throw .storageExceeded }
    }

    /// Shortens the file if it is much longer than necessary, and removes it if the schedule is over.
    func tidyFile() {
        guard let file = services.file, file.isLong || isEmpty else { return }
        rewriteFile()
    }

    /// Rewrites the file without the firings, after the bus's state includes them; removes the file if nothing is left.
    ///
    /// If an outdated state can neither be replaced nor removed, the file is always kept, so that the next bus notices.
    @discardableResult
    func rewriteFile(isNeeded: Bool = false) -> Bool {
        guard let file = services.file else { return true }
        let isSettled = access.settleState()
        return attempt(orLog: "the schedule cannot be saved") { () throws(SystemError) in
            if isEmpty, isSettled, !isNeeded {
                try file.remove()
            } else {
                try file.replace(with: records(of: bus.instance, firings: bus.firings))
            }
        }
    }
}

extension CallError {
    /// The schedule cannot be saved; the bus logs the reason.
    static var storageExceeded: CallError { .quotaExceeded(.storage, limit: 0) }
}
