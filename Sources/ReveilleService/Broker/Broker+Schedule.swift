// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWatchers
import ReveilleWire
import Varlink

/// A change of the schedule that waits to be saved, and the connection that waits for its reply.
struct ScheduleChange {
    let call: ScheduleCall
    let user: UInt32
    /// Called with the error, or with the reply of the call.
    let completion: (Result<any BusReply, CallError>) -> Void

    /// The approximate number of bytes that it writes.
    var size: Int {
        guard case .add(let entry) = call else { return Self.usualSize }
        return Self.usualSize + entry.published.count
    }

    /// The approximate size of a record without a value.
    private static let usualSize = 256
}

extension Broker {
    /// Answers a call about the schedule, at once or when the change is saved.
    func carryOut(_ call: ScheduleCall, on connection: Connection) throws(CallError) {
        let user = connection.peer.uid
        switch call {
        case .list:
            return reply(entryList(of: user), on: connection)
        case .cancel(let id?) where scheduler.schedule.item(id, of: user) == nil && scheduler.changes.isEmpty:
            throw .noSuchEntry(id)
        case .cancel(nil) where scheduler.schedule.count(of: user) == 0 && scheduler.changes.isEmpty:
            return reply(CancelReply(cancelled: 0), on: connection)
        case .add, .cancel: break
        }
        scheduler.changes.append(
            ScheduleChange(call: call, user: user) { [weak self] result in
                self?.resume(connection) {
                    switch result {
                    case .success(let reply): self?.reply(reply, on: connection)
                    case .failure(let error): self?.fail(error, on: connection)
                    }
                }
            })
        // Without a timer, the change is saved alone.
        if !scheduler.commitsSoon, !attempt({ () throws(SystemError) in try scheduler.commitSoon() }) {
            commitSchedule()
        }
    }

    /// The entries of a user, of which those that end while the list is read may be absent.
    private func entryList(of user: UInt32) -> ListReply {
        var ids = scheduler.schedule.items(of: user).map(\.entry.id).makeIterator()
        return ListReply(of: ScheduleListing.self) { [unowned self] in
            while let id = ids.next() {
                guard let item = scheduler.schedule.item(id, of: user) else { continue }
                return ScheduleListing(entry: item.entry, next: item.next, fired: item.fired).structure.bytes
            }
            return nil
        }
    }

    /// Carries out the changes of one turn of the loop, and saves them together before they are answered.
    func commitSchedule() {
        let changes = scheduler.takeChanges()
        var records: [ScheduleRecord] = []
        var undo: [(user: UInt32, id: String, before: Schedule.Item?)] = []
        let results = changes.map { change -> Result<any BusReply, CallError> in
            do throws(CallError) {
                switch change.call {
                case .add(let entry):
                    try check(entry, of: change.user)
                    try prepareScheduleFile()
                    let before = scheduler.schedule.item(entry.id, of: change.user)
                    let item = scheduler.schedule.add(
                        Schedule.Item(user: change.user, entry: entry, addedAt: loop.wallClock))
                    undo.append((change.user, entry.id, before))
                    records.append(.added(item))
                    return .success(AddReply(next: item.next))
                case .cancel(let id):
                    if !scheduler.schedule.isEmpty { try prepareScheduleFile() }
                    let ids = id.map { [$0] } ?? scheduler.schedule.items(of: change.user).map(\.entry.id)
                    let removed = ids.compactMap { scheduler.schedule.remove($0, of: change.user) }
                    if let id, removed.isEmpty { throw .noSuchEntry(id) }
                    undo += removed.map { (change.user, $0.entry.id, $0) }
                    if !removed.isEmpty { records.append(.removed(ids, user: change.user)) }
                    return .success(CancelReply(cancelled: removed.count))
                case .list: return .failure(.methodNotImplemented(""))
                }
            } catch {
                return .failure(error)
            }
        }
        let isSaved = records.isEmpty || saveSchedule(records, isDurable: true)
        if !isSaved {
            for (user, id, before) in undo.reversed() {
                if let before { scheduler.schedule.add(before) } else { scheduler.schedule.remove(id, of: user) }
            }
            // A record that could not be removed again is left out now.
            if scheduler.isEmpty || scheduler.services.file?.isOpen == false { rewriteScheduleFile() }
        }
        for (change, result) in zip(changes, results) {
            if case .success = result, !isSaved {
                change.completion(.failure(.storageExceeded))
            } else {
                change.completion(result)
            }
        }
        waitForSchedule()
    }

    /// Saves records of changes that have been made already.
    ///
    /// - Returns: Whether they are saved; the reason why not is logged.
    func saveSchedule(_ records: [ScheduleRecord], isDurable: Bool) -> Bool {
        guard let file = scheduler.services.file else { return true }
        guard file.isOpen else { return rewriteScheduleFile() }
        do throws(SystemError) {
            try file.append(records, isDurable: isDurable)
        } catch {
            logger.error("the schedule cannot be saved: \(error)")
            return false
        }
        tidyScheduleFile()
        return true
    }

    /// Opens the file for a change that is refused if it cannot be saved: what is only appended can be undone.
    private func prepareScheduleFile() throws(CallError) {
        guard let file = scheduler.services.file, !file.isOpen else { return }
        guard rewriteScheduleFile(isNeeded: true) else { throw .storageExceeded }
    }

    /// Shortens the file if it is much longer than necessary, and removes it if the schedule is over.
    func tidyScheduleFile() {
        guard let file = scheduler.services.file, file.isLong || scheduler.isEmpty else { return }
        rewriteScheduleFile()
    }

    /// Writes the file anew without the firings, which are part of the bus's state first, or removes it if nothing is left.
    ///
    /// If an outdated state can neither be replaced nor removed, there is always a file, which tells the next bus so.
    @discardableResult
    func rewriteScheduleFile(isNeeded: Bool = false) -> Bool {
        guard let file = scheduler.services.file else { return true }
        let isSettled = keeper?.settle() ?? true
        do throws(SystemError) {
            if scheduler.isEmpty, isSettled, !isNeeded {
                try file.remove()
            } else {
                try file.replace(with: scheduler.records(of: bus.instance, firings: bus.firings))
            }
            return true
        } catch {
            logger.error("the schedule cannot be saved: \(error)")
            return false
        }
    }

    /// Checks whether a user may add an entry.
    private func check(_ entry: ScheduleEntry, of user: UInt32) throws(CallError) {
        if entry.launch != nil, user != owner { throw .permissionDenied }
        let value = PublishedValue(entry.aspect, bytes: entry.published)
        let former = bus.publisher(of: entry.aspect)
        try checkPermission(to: value, after: former, by: user)
        try checkQuotas(of: value, after: former, by: user)
        if scheduler.schedule.item(entry.id, of: user) == nil,
            scheduler.schedule.count(of: user) >= configuration.schedule.entries
        {
            throw .quotaExceeded("entries", limit: configuration.schedule.entries)
        }
        guard let zone = entry.slotZone, !scheduler.schedule.knows(zone: zone) else { return }
        guard let reason = loadZone(zone) else { return }
        note("time zone \(zone): \(reason)", of: user, level: .warning)
        throw .invalidParameter("entry.zone")
    }

    /// Loads the rules of a zone, and returns the reason if there are none.
    func loadZone(_ zone: String, at time: Int64? = nil) -> String? {
        let now = time ?? loop.wallClock
        guard let zones = scheduler.services.zones else {
            guard zone == "UTC" else { return "this bus reads no time zones" }
            scheduler.schedule.set(.utc, for: zone, at: now)
            return nil
        }
        do throws(ZoneError) {
            scheduler.schedule.set(try zones.rules(of: zone), for: zone, at: now)
            return nil
        } catch {
            return "\(error)"
        }
    }
}

extension CallError {
    /// The schedule cannot be saved; the bus logs the reason.
    fileprivate static var storageExceeded: CallError { .quotaExceeded("storage", limit: 0) }
}
