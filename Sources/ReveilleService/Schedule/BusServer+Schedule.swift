// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleHost
import ReveilleSystem

// The effects of a `Scheduler` on the bus, the file, the alarms and programs. Without entries, there is no file, no alarm and
// no open zone.

/// The alarms that the schedule has set in the system.
struct ScheduleAlarms {
    var next: (any WallClockAlarm)?
    var wake: (any WallClockAlarm)?
    /// Whether the log has the reason why this bus does not wake the machine.
    var hasReportedWake = false

    var count: Int { [next, wake].count { $0 != nil } }
}

extension BusServer {
    /// Restores the schedule of the previous bus, and fires the entries that have become due since.
    func resumeSchedule(_ saved: SavedSchedule?) {
        facilities.schedule.file?.attach(
            to: loop,
            answered: weakly(self) { server, failure in
                server.changeSchedule { $0.saved(failure.map { "\($0)" }, $1) }
            })
        facilities.schedule.launcher?.ended = weakly(self) { server, command, result in
            server.changeSchedule { $0.ended(command, result, at: $1.bootClock) }
        }
        facilities.schedule.zones?.changed = weakly(self) { server, zone in
            server.changeSchedule { $0.zoneChanged(zone, at: $1.wallClock) }
        }
        features.scheduler.entries.wakingUsers = wakingUsers
        guard let saved else { return publishAlarm() }
        for item in saved.items {
            if let zone = item.entry.slotZone, !features.scheduler.entries.knows(zone: zone),
                let reason = loadZone(zone, at: loop.wallClock)
            {
                logger.warning("entry \(item.entry.id) of user \(item.user) waits for time zone \(zone): \(reason)")
                facilities.schedule.zones?.wait(for: zone)
            }
            features.scheduler.entries.add(item)
        }
        _ = features.scheduler.entries.returnToPresent(at: loop.wallClock)
        for launch in saved.launches { resume(launch) }
        for (command, process) in saved.children.all { adopt(process, running: command) }
        changeSchedule { scheduler, _ in scheduler.storage.needsRewrite = true }
        advanceSchedule(to: loop.bootClock)
        // Nobody is connected yet.
        facilities.schedule.file?.finish()
        advanceSchedule(to: loop.bootClock)
        // The previous bus may have published an alarm that is over.
        if alarms.wake == nil { publishAlarm() }
    }

    /// Waits until all pending changes are on the disk, and answers their callers.
    func finishSaving() {
        repeat {
            facilities.schedule.file?.finish()
            advanceSchedule(to: loop.bootClock)
        } while features.scheduler.storage.work != nil
    }

    // MARK: - Inputs and effects

    var scheduleFacts: Scheduler.Facts {
        Scheduler.Facts(
            wallClock: loop.wallClock, bootClock: loop.bootClock, entryLimit: configuration.schedule.entries,
            file: facilities.schedule.file?.facts)
    }

    /// Changes the schedule, which settles at the end of this turn.
    func changeSchedule(_ input: (inout Scheduler, Scheduler.Facts) -> Void) {
        input(&features.scheduler, scheduleFacts)
        features.attendedNames = features.scheduler.programs.queue.attended
        turn.scheduleHasChanged = true
        turn.featuresAreDue = true
    }

    func advanceSchedule(to now: UInt64) {
        // Most turns concern other features.
        guard turn.scheduleHasChanged || features.scheduler.next ?? .max <= now else { return }
        turn.scheduleHasChanged = false
        features.scheduler.beginTurn(scheduleFacts)
        var effects = features.scheduler.settle(scheduleFacts)
        while !effects.isEmpty {
            for effect in effects { perform(effect) }
            effects = features.scheduler.settle(scheduleFacts)
        }
        if features.scheduler.needsNoZones {
            // Both, since known zones are not watched again.
            features.scheduler.entries.forgetZones()
            facilities.schedule.zones?.stop()
        }
        features.attendedNames = features.scheduler.programs.queue.attended
    }

    func saveRecords() {
        for effect in features.scheduler.saveRecords(scheduleFacts.file) ?? [] { perform(effect) }
    }

    private func perform(_ effect: Scheduler.Effect) {
        switch effect {
        case .append(let records):
            if let failure = append(records) { logger.error("the schedule cannot be saved: \(failure)") }
        case .rewrite(let canRemove):
            if (keeper?.settle() ?? true), canRemove { return facilities.schedule.file?.remove() ?? () }
            facilities.schedule.file?.replace(with: features.scheduler.records(of: bus.instance, firings: bus.firings))
        case .commit(let records): facilities.schedule.file?.commit(records)
        case .sync: facilities.schedule.file?.sync()
        case .answer(let change, let result): answer(change, result)
        case .makeFirings(let due): makeFirings(of: due, at: loop.wallClock)
        case .saveState: keeper?.saveIfOutdated()
        case .record(let passed): features.scheduler.recorded(append([.passed(passed)]), scheduleFacts)
        case .publish(let firings):
            for firing in firings { publish(firing) }
            features.scheduler.published(
                wanted: Set(firings.map(\.value.name).filter { bus.isWanted($0) }), scheduleFacts)
            // An answer that follows in this turn may close a subscriber.
            features.attendedNames = features.scheduler.programs.queue.attended
        case .start(let command, let positions): start(command, positions)
        case .loadZones(let zones, let time):
            for zone in zones {
                if let reason = loadZone(zone, at: time) { logger.warning("time zone \(zone): \(reason)") }
            }
        case .setAlarm(let time): setAlarm(to: time)
        case .setWake(let time): setWake(to: time)
        case .log(let level, let line): logger.log(level: level, "\(line)")
        }
    }

    /// Appends records to the file, and returns the reason if it failed.
    private func append(_ records: [ScheduleRecord]) -> String? {
        do throws(SystemError) {
            try facilities.schedule.file?.append(records, areChanges: false)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
