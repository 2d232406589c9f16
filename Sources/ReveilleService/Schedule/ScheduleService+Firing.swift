// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem
import Varlink

extension ScheduleService {
    /// The most entries that fire before other sources have their turn.
    static let firingsPerTurn = 256

    /// Fires what is due; each firing is saved before it is delivered, so that no slot fires twice after a kill.
    ///
    /// While a change waits for the disk, firings do too: a change that fails must not have fired.
    func fire(atMost most: Int = firingsPerTurn) {
        guard services.file?.isChanging != true else { return }
        var due: [Schedule.Due] = []
        let now = loop.wallClock
        if let file = services.file, let next = schedule.next, next <= now, !file.takesFirings { return rewriteFile() }
        while due.count < most,
            let next = schedule.takeDue(at: now, awakeSince: awakeSince)
        {
            due.append(next)
        }
        guard !due.isEmpty else { return waitForNext() }
        // Before the firings are computed, since a check can make the bus forget names.
        due = permitted(due, at: now)
        var firings: [Firing] = []
        let passed = due.map { due -> ScheduleRecord.Passed in
            let entry = due.item.entry
            var passed = ScheduleRecord.Passed(
                user: due.item.user, id: entry.id, after: due.rest?.after ?? now,
                fired: due.item.fired + due.firings, isLast: due.rest == nil, isLaunching: false)
            guard due.firings > 0 else { return passed }
            let firing = bus.firing(
                of: entry.published, times: due.firings, by: due.item.user,
                at: self.now, after: firings)
            firings.append(firing)
            passed.firing = firing
            passed.isLaunching = entry.launch != nil
            return passed
        }
        // The file contains firings only: the state without them has to be on the disk too.
        if !firings.isEmpty, services.file != nil { access.saveStateIfOutdated() }
        let launching = zip(due, passed).filter { $1.isLaunching }
        do throws(SystemError) {
            try services.file?.append([.passed(passed)], areChanges: false)
        } catch {
            for due in due { schedule.add(due.item) }
            // There may be room without the records of past firings, or for fewer.
            let canShrink = services.file?.canShrink == true
            if !canShrink, due.count > 1 { return fire(atMost: due.count / 2) }
            if !canShrink { logger.error("the schedule: \(error)") }
            attempt { () throws(SystemError) in try retry() }
            if canShrink { rewriteFile() }
            return waitForNext()
        }
        for firing in firings { fire(firing) }
        for (due, passed) in launching {
            guard let command = due.item.entry.launch, let firing = passed.firing else { continue }
            let isAttended = bus.isWanted(firing.value.name)
            launches.add(
                command, for: LaunchQueue.Waiting(firing), isAttended: isAttended, at: loop.bootClock)
        }
        launchesChanged()
        areFiringsUnsynced = true
        launchPrograms()
        waitForNext()
        tidyFile()
        syncFirings()
    }

    private func fire(_ firing: Firing) {
        let former = bus.publisher(of: firing.value.name)
        bus.fire(firing)
        access.published(firing.value.name, from: former, to: Publisher(user: firing.user))
    }

    /// Returns entries without the firings that their owners may no longer publish; the reasons are logged.
    private func permitted(_ due: [Schedule.Due], at time: Int64) -> [Schedule.Due] {
        var names: [UInt32: Set<Aspect>] = [:]
        return due.map { due in
            let (user, name) = (due.item.user, due.item.entry.aspect)
            guard due.firings > 0 else { return due }
            let value = due.item.entry.published
            let former = bus.publisher(of: name)
            do throws(CallError) {
                try access.checkPermission(to: value, after: former, by: user)
                let isCounted = former?.user == user || names[user]?.contains(name) == true
                if !isCounted {
                    try access.checkQuotas(of: value, after: former, by: user, beside: names[user]?.count ?? 0)
                }
                if former?.user != user { names[user, default: []].insert(name) }
                return due
            } catch {
                access.note(
                    "entry \(due.item.entry.id) of user \(user) does not fire: \(error)", of: user, level: .warning)
            }
            var due = due
            due.firings = 0
            // The entry stays without a next slot if this was its last.
            var rest = due.rest ?? due.item
            rest.after = max(rest.after, time)
            rest.fired = due.item.fired
            due.rest = schedule.add(rest)
            return due
        }
    }

    func zoneChanged(_ zone: String) {
        changedZones.insert(zone)
        // The clock may have been set, too.
        returnToPresent()
        fire()
    }

    /// Loads the changed zones once all past slots, which follow the old rules, have fired.
    private func loadChangedZones() {
        let now = loop.wallClock
        guard !changedZones.isEmpty, schedule.next ?? .max > now else { return }
        let zones = changedZones.sorted()
        changedZones = []
        for zone in zones {
            if let reason = loadZone(zone, at: now) { logger.warning("time zone \(zone): \(reason)") }
        }
    }

    /// Resumes entries that fired while the clock was far ahead.
    func returnToPresent() {
        let changed = schedule.returnToPresent(at: loop.wallClock)
        if !changed.isEmpty { save(changed.map { .added($0) }) }
    }

    func waitForNext() {
        loadChangedZones()
        if schedule.isEmpty {
            // Both, since known zones are not watched again.
            schedule.forgetZones()
            services.zones?.stop()
        }
        if !attempt({ () throws(SystemError) in try setAlarm() }) {
            // Without an alarm, nothing would be due until the next change of the schedule.
            attempt { () throws(SystemError) in try retry() }
        }
        launchesChanged()
    }
}
