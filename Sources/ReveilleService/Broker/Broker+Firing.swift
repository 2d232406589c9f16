// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
import ReveilleCore
import ReveilleSystem
import Varlink

extension Broker {
    /// The most entries that fire before other sources have their turn.
    private static let firingsPerTurn = 256

    /// The number of event sources of the schedule, whose entries outlast the connections of their owners.
    package var scheduleSourceCount: Int { scheduler.sourceCount }

    /// Restores the schedule of the previous bus, and fires what has become due since.
    func resumeSchedule(_ saved: SavedSchedule?) {
        scheduler.due = { [weak self] in self?.fireSchedule() }
        scheduler.commit = { [weak self] in self?.commitSchedule() }
        scheduler.launchDue = { [weak self] in self?.launchPrograms() }
        scheduler.clockChanged = { [weak self] in self?.returnToPresent() }
        scheduler.services.launcher?.ended = { [weak self] in self?.programEnded($0, $1) }
        scheduler.services.zones?.changed = { [weak self] in self?.zoneChanged($0) }
        guard let saved else { return }
        for item in saved.items {
            if let zone = item.entry.slotZone, !scheduler.schedule.knows(zone: zone), let reason = loadZone(zone) {
                logger.warning("entry \(item.entry.id) of user \(item.user) waits for time zone \(zone): \(reason)")
                scheduler.services.zones?.wait(for: zone)
            }
            scheduler.schedule.add(item)
        }
        _ = scheduler.schedule.returnToPresent(at: loop.wallClock)
        for launch in saved.launches { resume(launch) }
        for (command, process) in saved.children.all { adopt(process, running: command) }
        keeper?.save()
        if scheduler.isEmpty { _ = saveSchedule([], isDurable: true) } else { shortenScheduleFile() }
        fireSchedule()
    }

    /// Fires the entries whose time has come.
    ///
    /// Each firing is saved before it is delivered, so that no slot fires twice after a kill.
    func fireSchedule() {
        var due: [Schedule.Due] = []
        let now = loop.wallClock
        guard canSaveFirings(at: now) else {
            attempt { () throws(SystemError) in try scheduler.retry() }
            return waitForSchedule()
        }
        while due.count < Self.firingsPerTurn,
            let next = scheduler.schedule.takeDue(at: now, awakeSince: scheduler.awakeSince)
        {
            due.append(next)
        }
        guard !due.isEmpty else { return waitForSchedule() }
        // Before the firings are computed, since a check can make the bus forget names.
        due = permitted(due)
        var firings: [Firing] = []
        let passed = due.map { due -> ScheduleRecord.Passed in
            let entry = due.item.entry
            var passed = ScheduleRecord.Passed(
                user: due.item.user, id: entry.id, after: due.rest?.after ?? now,
                fired: due.item.fired + due.firings, isLast: due.rest == nil, isLaunching: false)
            guard due.firings > 0 else { return passed }
            let firing = bus.firing(
                of: PublishedValue(entry.aspect, bytes: entry.published), times: due.firings, by: due.item.user,
                at: self.now, after: firings)
            firings.append(firing)
            passed.firing = firing
            passed.isLaunching = entry.launch != nil
            return passed
        }
        // The file contains firings only: the state without them has to be on the disk too.
        if !firings.isEmpty, scheduler.services.file != nil { keeper?.saveIfOutdated() }
        let launching = zip(due, passed).filter { $1.isLaunching }
        guard save(passed) else {
            for due in due { scheduler.schedule.add(due.item) }
            attempt { () throws(SystemError) in try scheduler.retry() }
            return waitForSchedule()
        }
        for firing in firings { fire(firing) }
        for (due, passed) in launching {
            guard let command = due.item.entry.launch, let firing = passed.firing else { continue }
            let isAttended = bus.isWanted(firing.value.name)
            scheduler.launches.add(
                command, for: LaunchQueue.Waiting(firing), isAttended: isAttended, at: loop.bootClock)
        }
        launchesChanged()
        deliver()
        if let file = scheduler.services.file {
            if scheduler.isEmpty {
                _ = saveSchedule([], isDurable: true)
            } else {
                // Only a loss of power could undo the firing until then.
                attempt { () throws(SystemError) in try file.sync() }
                if file.isLong { shortenScheduleFile() }
            }
        }
        launchPrograms()
        waitForSchedule()
    }

    /// Returns whether the file takes firings; it is written anew first if an earlier attempt to do so failed.
    private func canSaveFirings(at now: Int64) -> Bool {
        guard let file = scheduler.services.file, scheduler.schedule.next ?? .max <= now, !file.takesFirings else {
            return true
        }
        shortenScheduleFile()
        return file.takesFirings
    }

    private func save(_ passed: [ScheduleRecord.Passed]) -> Bool {
        guard let file = scheduler.services.file else { return true }
        return attempt { () throws(SystemError) in
            try file.append([.passed(passed)], isDurable: false) { scheduler.records(of: bus.instance) }
        }
    }

    private func fire(_ firing: Firing) {
        let former = bus.publisher(of: firing.value.name)
        bus.fire(firing)
        tied.move(firing.value.name, from: former?.connection, to: nil)
    }

    /// Returns entries without the firings that their owners may no longer publish; the reasons are logged.
    private func permitted(_ due: [Schedule.Due]) -> [Schedule.Due] {
        var names: [UInt32: Set<Aspect>] = [:]
        return due.map { due in
            let (user, name) = (due.item.user, due.item.entry.aspect)
            guard due.firings > 0 else { return due }
            let value = PublishedValue(name, bytes: due.item.entry.published)
            let former = bus.publisher(of: name)
            do throws(CallError) {
                try checkPermission(to: value, after: former, by: user)
                let isCounted = former?.user == user || names[user]?.contains(name) == true
                if !isCounted { try checkQuotas(of: value, after: former, by: user, beside: names[user]?.count ?? 0) }
                if former?.user != user { names[user, default: []].insert(name) }
                return due
            } catch {
                note("entry \(due.item.entry.id) of user \(user) does not fire: \(error)", of: user, level: .warning)
            }
            var due = due
            due.firings = 0
            due.rest?.fired = due.item.fired
            if let rest = due.rest { scheduler.schedule.add(rest) }
            return due
        }
    }

    private func zoneChanged(_ zone: String) {
        scheduler.changedZones.insert(zone)
        // The clock can have been set too.
        returnToPresent()
        fireSchedule()
    }

    /// Loads the zones that have changed, once all slots that have passed have fired: they are those of the old rules.
    private func loadChangedZones() {
        let now = loop.wallClock
        guard !scheduler.changedZones.isEmpty, scheduler.schedule.next ?? .max > now else { return }
        let zones = scheduler.changedZones.sorted()
        scheduler.changedZones = []
        for zone in zones {
            if let reason = loadZone(zone, at: now) { logger.warning("time zone \(zone): \(reason)") }
        }
    }

    /// Lets entries continue that fired while the clock was far ahead.
    private func returnToPresent() {
        let changed = scheduler.schedule.returnToPresent(at: loop.wallClock)
        if !changed.isEmpty { _ = saveSchedule(changed.map { .added($0) }, isDurable: false) }
    }

    /// Waits for the next slot.
    func waitForSchedule() {
        loadChangedZones()
        if scheduler.schedule.isEmpty {
            // Both, since zones whose rules are known are not watched again.
            scheduler.schedule.forgetZones()
            scheduler.services.zones?.stop()
        }
        attempt { () throws(SystemError) in try scheduler.setAlarm() }
        launchesChanged()
    }

    @discardableResult
    func attempt(_ body: () throws(SystemError) -> Void) -> Bool {
        do throws(SystemError) {
            try body()
            return true
        } catch {
            logger.error("the schedule: \(error)")
            return false
        }
    }
}
