// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWatchers
import ReveilleWire
import Varlink

/// A change of the schedule that waits to be saved, and the connection that waits for its reply.
struct ScheduleChange {
    enum Kind {
        case add(ScheduleEntry)
        case cancel(String?)
    }

    let kind: Kind
    let connection: Connection
    var user: UInt32 { connection.peer.uid }

    var size: Int {
        guard case .add(let entry) = kind else { return Self.usualSize }
        return Self.usualSize + (entry.value?.count ?? 0)
    }

    /// The approximate size of a record without a value.
    private static let usualSize = 256
}

extension ScheduleService {
    /// Replies when the change is saved, or at once if there is nothing to save.
    func change(_ kind: ScheduleChange.Kind, on connection: Connection) throws(CallError) {
        let user = connection.peer.uid
        switch kind {
        case .cancel(let id?) where schedule.item(id, of: user) == nil && changes.isEmpty:
            throw .noSuchEntry(id)
        case .cancel(nil) where schedule.count(of: user) == 0 && changes.isEmpty:
            return access.reply(CancelReply(cancelled: 0), on: connection)
        case .add, .cancel: break
        }
        changes.append(ScheduleChange(kind: kind, connection: connection))
        // Without a timer, the change is saved alone.
        if !timers.commitsSoon, !attempt({ () throws(SystemError) in try commitSoon() }) {
            commitChanges()
        }
    }

    /// The entries of a user; an entry that ends while the list is read may be absent.
    func list(of user: UInt32) -> ListReply {
        var ids = schedule.items(of: user).map(\.entry.id).makeIterator()
        return ListReply(of: ScheduleListing.self) { [unowned self] in
            while let id = ids.next() {
                guard let item = schedule.item(id, of: user) else { continue }
                return ScheduleListing(entry: item.entry, next: item.next, fired: item.fired).structure.bytes
            }
            return nil
        }
    }

    /// Carries out the changes of one turn of the loop, and saves them together before they are answered.
    ///
    /// Changes that come while others wait for the disk are the next ones.
    func commitChanges() {
        guard services.file?.isBusy != true else { return }
        let changes = takeChanges()
        guard !changes.isEmpty else { return }
        commit(changes, isOpen: services.file?.isOpen ?? true)
    }

    /// Commits changes; once, the file is opened or shortened for them, and they are carried out again.
    private func commit(_ changes: [ScheduleChange], isOpen: Bool, isRepeated: Bool = false) {
        func again() {
            rewriteFile(isNeeded: true) { [weak self] in self?.commit(changes, isOpen: $0, isRepeated: true) }
        }
        var isMissing = false
        var records: [ScheduleRecord] = []
        var undo: [(user: UInt32, id: String, before: Schedule.Item?)] = []
        let results = changes.map { change -> Result<any BusReply, CallError> in
            do throws(CallError) {
                switch change.kind {
                case .add(let entry):
                    try check(entry, of: change.user)
                    guard isOpen else {
                        isMissing = true
                        throw .storageExceeded
                    }
                    let before = schedule.item(entry.id, of: change.user)
                    let item = schedule.add(
                        Schedule.Item(user: change.user, entry: entry, addedAt: loop.wallClock))
                    undo.append((change.user, entry.id, before))
                    records.append(.added(item))
                    return .success(AddReply(next: item.next))
                case .cancel(let id):
                    guard isOpen || schedule.isEmpty else {
                        isMissing = true
                        throw .storageExceeded
                    }
                    let ids = id.map { [$0] } ?? schedule.items(of: change.user).map(\.entry.id)
                    let removed = ids.compactMap { schedule.remove($0, of: change.user) }
                    if let id, removed.isEmpty { throw .noSuchEntry(id) }
                    undo += removed.map { (change.user, $0.entry.id, $0) }
                    if !removed.isEmpty { records.append(.removed(ids, user: change.user)) }
                    return .success(CancelReply(cancelled: removed.count))
                }
            } catch {
                return .failure(error)
            }
        }
        if isMissing, !isRepeated { return again() }
        guard let file = services.file, !records.isEmpty else { return answer(changes, results) }
        areFiringsUnsynced = false
        file.commit(records, on: loop) { [weak self] failure in
            guard let self else { return }
            guard let failure else { return answer(changes, results) }
            for (user, id, before) in undo.reversed() {
                if let before { schedule.add(before) } else { schedule.remove(id, of: user) }
            }
            if !isRepeated, file.canShrink { return again() }
            logger.error("the schedule cannot be saved: \(failure)")
            // A record that could not be removed again is left out now.
            if !file.isOpen { rewriteFile() }
            answer(changes, results.map { $0.flatMap { _ in .failure(.storageExceeded) } })
        }
    }

    private func answer(_ changes: [ScheduleChange], _ results: [Result<any BusReply, CallError>]) {
        tidyFile()
        for (change, result) in zip(changes, results) {
            let connection = change.connection
            access.resume(connection) {
                switch result {
                case .success(let reply): access.reply(reply, on: connection)
                case .failure(let error): access.fail(error, on: connection)
                }
            }
        }
        proceed()
    }

    private func check(_ entry: ScheduleEntry, of user: UInt32) throws(CallError) {
        if entry.launch != nil, user != access.permissions.owner { throw .permissionDenied }
        let former = bus.publisher(of: entry.aspect)
        try access.checkPermission(to: entry.published, after: former, by: user)
        try access.checkQuotas(of: entry.published, after: former, by: user)
        if schedule.item(entry.id, of: user) == nil {
            try Quota.entries.check(schedule.count(of: user) + 1, atMost: configuration.schedule.entries)
        }
        guard let zone = entry.slotZone, !schedule.knows(zone: zone) else { return }
        guard let reason = loadZone(zone) else { return }
        access.note("time zone \(zone): \(reason)", of: user, level: .warning)
        throw .invalidParameter("entry.zone")
    }

    /// Loads the rules of a zone, and returns the reason if there are none.
    func loadZone(_ zone: String, at time: Int64? = nil) -> String? {
        let now = time ?? loop.wallClock
        guard let zones = services.zones else {
            guard let rules = services.rules[zone] else { return "this bus reads no time zones" }
            schedule.set(rules, for: zone, at: now)
            return nil
        }
        do throws(ZoneError) {
            schedule.set(try zones.rules(of: zone), for: zone, at: now)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
