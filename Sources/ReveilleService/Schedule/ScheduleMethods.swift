// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWatchers
import ReveilleWire
import Varlink

extension AddEntry: ServedMethod {
    func carryOut(by server: BusServer, on connection: Connection) throws(CallError) {
        try server.check(entry, of: connection.peer.uid)
        try server.changeEntries(.add(entry), on: connection)
    }
}

extension CancelEntry: ServedMethod {
    func carryOut(by server: BusServer, on connection: Connection) throws(CallError) {
        try server.changeEntries(.cancel(id), on: connection)
    }
}

extension ListEntries: ServedMethod {
    /// Replies with the entries of the user; an entry that ends while the list is read may be absent.
    func carryOut(by server: BusServer, on connection: Connection) {
        let user = connection.peer.uid
        let ids = server.features.scheduler.entries.items(of: user).map(\.entry.id)
        server.reply(each: ids, on: connection) { server, id in
            server.features.scheduler.entries.item(id, of: user).map {
                ScheduleListing(entry: $0.entry, next: $0.next, fired: $0.fired)
            }
        }
    }
}

extension BusServer {
    /// Replies when the change is saved, or at once if there is nothing to save.
    func changeEntries(_ kind: ScheduleChange.Kind, on connection: Connection) throws(CallError) {
        let change = ScheduleChange(kind: kind, user: connection.peer.uid, connection: connection.number)
        if let reply = try features.scheduler.change(change, scheduleFacts) { return self.reply(reply, on: connection) }
        // In another turn, so that the changes of several callers are saved together.
        turn.timesHaveChanged = true
    }

    func answer(_ change: ScheduleChange, _ result: Result<any BusReply, CallError>) {
        guard let connection = connections[change.connection] else { return }
        resume(connection) {
            switch result {
            case .success(let reply): self.reply(reply, on: connection)
            case .failure(let error): fail(error, on: connection)
            }
        }
    }

    fileprivate func check(_ entry: ScheduleEntry, of user: UInt32) throws(CallError) {
        if entry.launch != nil, user != permissions.owner { throw .permissionDenied }
        let former = bus.publisher(of: entry.aspect)
        try permissions.check(entry.published, after: former, by: user, in: configuration)
        try checkQuotas(of: entry.published, after: former, by: user)
        try features.scheduler.checkRoom(for: entry, of: user, scheduleFacts)
        guard let zone = entry.slotZone, !features.scheduler.entries.knows(zone: zone),
            let reason = loadZone(zone, at: loop.wallClock)
        else { return }
        note("time zone \(zone): \(reason)", of: user, level: .warning)
        throw .invalidParameter("entry.zone", "is refused: the bus does not know this time zone")
    }

    /// Loads the rules of a zone, and returns the reason if there are none.
    func loadZone(_ zone: String, at time: Int64) -> String? {
        do throws(ZoneError) {
            guard let rules = try facilities.schedule.zones?.rules(of: zone) ?? facilities.schedule.rules[zone] else {
                return "this bus reads no time zones"
            }
            features.scheduler.entries.set(rules, for: zone, at: time)
            return nil
        } catch {
            return "\(error)"
        }
    }

    // MARK: - Firings

    /// Makes the firings of due entries, without those that their owners may no longer publish.
    func makeFirings(of due: [Schedule.Due], at time: Int64) {
        var names: [UInt32: Set<Aspect>] = [:]
        // All checks come first, since they can make the bus forget names.
        let due = due.map { mayFire($0, beside: &names) ? $0 : features.scheduler.leaveOut($0, at: time) }
        var made: [Firing] = []
        let firings = due.map { due -> Firing? in
            guard due.firings > 0 else { return nil }
            made.append(
                bus.firing(
                    of: due.item.entry.published, times: due.firings, by: due.item.user, at: now, after: made))
            return made.last
        }
        features.scheduler.checked(due, firings, at: time)
    }

    /// Checks a due entry, beside the names that each user is about to publish; the reason of a refusal is logged.
    private func mayFire(_ due: Schedule.Due, beside names: inout [UInt32: Set<Aspect>]) -> Bool {
        guard due.firings > 0 else { return true }
        let (user, value) = (due.item.user, due.item.entry.published)
        let former = bus.publisher(of: value.name)
        do throws(CallError) {
            try permissions.check(value, after: former, by: user, in: configuration)
            guard former?.user != user, names[user]?.contains(value.name) != true else { return true }
            try checkQuotas(of: value, after: former, by: user, beside: names[user]?.count ?? 0)
            names[user, default: []].insert(value.name)
            return true
        } catch {
            note(
                "entry \(due.item.entry.id) of user \(user) does not fire: \(error)", of: user, level: .warning)
            return false
        }
    }

    func publish(_ firing: Firing) {
        let former = bus.publisher(of: firing.value.name)
        bus.fire(firing)
        untie(firing.value.name, from: former)
        // The schedule's file has it, so the state, with which the log is saved, may stay as it is.
        turn.hasFired = true
    }
}
