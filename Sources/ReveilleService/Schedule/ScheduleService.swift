// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem

/// The schedule of a bus: its entries, their firings, and the programs that it starts for them.
///
/// Without entries, there is no file, no timer and no open zone.
final class ScheduleService: BusPart {
    let access: BusAccess
    let services: ScheduleServices
    var schedule = Schedule()
    var launches: LaunchQueue
    /// The launched programs that are children of a bus, and not known to have ended.
    var children = LaunchedPrograms()
    /// The changes that wait to be saved together.
    var changes: [ScheduleChange] = []
    /// The zones that have changed; their new rules apply once nothing is due.
    var changedZones: Set<String> = []
    /// The time since which no slot can have been missed.
    var awakeSince: Int64
    /// The names of firings that wait for their subscribers to read them.
    var attendedNames: Set<Aspect> = []
    /// Whether a loss of power could undo firings.
    var areFiringsUnsynced = false
    var timers = ScheduleTimers()
    /// How much each user's changes have written; a user's excess delays only this user's changes.
    let shares = UserShares.ofSchedule()

    /// What the previous bus has saved, until it is resumed.
    private var saved: SavedSchedule?

    init(_ access: BusAccess, _ services: ScheduleServices, saved: SavedSchedule?, loop: any Loop) {
        self.access = access
        self.services = services
        self.saved = saved
        launches = LaunchQueue(at: loop.bootClock)
        awakeSince = loop.wallClock
    }

    /// Restores the schedule of the previous bus, and fires the entries that have become due since.
    func resume() {
        services.launcher?.ended = { [weak self] in self?.programEnded($0, $1) }
        services.zones?.changed = { [weak self] in self?.zoneChanged($0) }
        schedule.wakingUsers = wakingUsers
        guard let saved else { return publishAlarm() }
        self.saved = nil
        for item in saved.items {
            if let zone = item.entry.slotZone, !schedule.knows(zone: zone), let reason = loadZone(zone) {
                logger.warning("entry \(item.entry.id) of user \(item.user) waits for time zone \(zone): \(reason)")
                services.zones?.wait(for: zone)
            }
            schedule.add(item)
        }
        _ = schedule.returnToPresent(at: loop.wallClock)
        for launch in saved.launches { resume(launch) }
        for (command, process) in saved.children.all { adopt(process, running: command) }
        rewriteFile()
        // Nobody is connected yet.
        finishSaving()
        fire()
    }

    /// Waits until all that waits for the disk is on it, and answers those who have waited.
    func finishSaving() { services.file?.finish() }

    func closing(_ connection: Connection) {
        if !attendedNames.isEmpty, !access.isStopping, connection.hasReadAll { hasRead(connection) }
    }

    func closed(_ connection: Connection, subscription: SubscriptionID?) {
        if subscription != nil, !attendedNames.isEmpty, !access.isStopping { desertNames() }
    }

    func renewed() {
        guard services.file?.isOpen == true else { return }
        save([.began(instance: bus.instance, firings: 0)])
    }

    /// Makes an attempt, and returns whether it succeeded; the reason why not is logged.
    @discardableResult
    func attempt(orLog problem: String = "the schedule", _ body: () throws(SystemError) -> Void) -> Bool {
        do throws(SystemError) {
            try body()
            return true
        } catch {
            logger.error("\(problem): \(error)")
            return false
        }
    }
}
