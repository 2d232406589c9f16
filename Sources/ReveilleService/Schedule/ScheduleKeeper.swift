// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
import ReveilleCore
package import ReveilleSystem

/// The facilities of the machine that a schedule uses; all of them may be missing, as in a device of a program's own.
package struct ScheduleServices {
    /// The file that keeps the entries; without one, they end with the bus.
    package var file: ScheduleFile?
    /// The rules of time zones.
    package var zones: (any ZoneSource)?
    /// Starts programs.
    package var launcher: (any ProgramLauncher)?
    /// The address of the bus, for the programs that are started.
    package var address: String?

    /// Creates a set of facilities.
    package init(
        file: ScheduleFile? = nil, zones: (any ZoneSource)? = nil, launcher: (any ProgramLauncher)? = nil,
        address: String? = nil
    ) {
        self.file = file
        self.zones = zones
        self.launcher = launcher
        self.address = address
    }
}

/// The schedule of a bus with its file and its timers.
///
/// Without entries, there is no file, no timer and no open zone.
final class ScheduleKeeper {
    /// The pause before firings that could not be saved are tried again.
    static let retryPause: Duration = .seconds(10)

    let services: ScheduleServices
    var schedule = Schedule()
    var launches: LaunchQueue
    /// The launched programs that are children of a bus, and not known to have ended.
    var children = LaunchedPrograms()
    /// The changes that wait to be saved together.
    var changes: [ScheduleChange] = []
    /// The zones that have changed, whose new rules apply when nothing is due any more.
    var changedZones: Set<String> = []
    /// The time since which no slot can have been missed.
    var awakeSince: Int64
    /// Called when the next entry may be due.
    var due: () -> Void = {}
    /// Called to save the changes.
    var commit: () -> Void = {}
    /// Called when the clock was set, or may have been.
    var clockChanged: () -> Void = {}
    /// Called when the next program may have to be started.
    var launchDue: () -> Void = {}
    private var shares = WritingShares()
    /// Whether ``commit`` is called in the next turn of the loop.
    private(set) var commitsSoon = false
    private let loop: any Loop
    private let logger: Logger
    private var alarm: (any WallClockAlarm)?
    private var alarmTime: Int64?
    private var commitTimer: (any LoopSource)?
    private var launchTimer: (any LoopSource)?
    private var retryTimer: (any LoopSource)?

    init(_ services: ScheduleServices, loop: any Loop, logger: Logger) {
        self.services = services
        self.loop = loop
        self.logger = logger
        launches = LaunchQueue(at: loop.bootClock)
        awakeSince = loop.wallClock
    }

    /// The number of its event sources: none without entries.
    var sourceCount: Int {
        (alarm == nil ? 0 : 1) + [commitTimer, launchTimer, retryTimer].count { $0 != nil }
    }

    /// Whether nothing needs the file.
    var isEmpty: Bool { schedule.isEmpty && launches.isEmpty && children.isEmpty }

    /// The whole schedule, without the firings of an instance, whose number is given.
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

    // MARK: - Timers

    /// Sets the alarm to the next slot, unless firings wait for room on the disk.
    func setAlarm() throws(SystemError) {
        if alarm == nil, retryTimer == nil, schedule.next != nil {
            // Without an alarm, nothing reported that the clock was set back.
            awakeSince = min(awakeSince, loop.wallClock)
            clockChanged()
            alarm = try loop.alarm { [unowned self] event in
                alarmTime = nil
                if event == .clockChanged {
                    awakeSince = loop.wallClock
                    clockChanged()
                }
                due()
            }
        }
        guard let next = retryTimer == nil ? schedule.next : nil else {
            alarm = nil
            alarmTime = nil
            return
        }
        // A slot that is due already is handled in another turn of the loop.
        guard next != alarmTime || next <= loop.wallClock else { return }
        alarm?.set(to: next)
        alarmTime = next
    }

    /// Calls ``clockChanged`` and ``due`` after a pause.
    func retry() throws(SystemError) {
        guard retryTimer == nil else { return }
        retryTimer = try loop.timer { [unowned self] in
            retryTimer = nil
            // Without an alarm meanwhile, nothing reported that the clock was set.
            clockChanged()
            due()
        }
        retryTimer?.fire(after: Self.retryPause)
    }

    /// Calls ``commit`` once in the next turn of the loop, or after a time.
    func commitSoon(after time: UInt64 = 0) throws(SystemError) {
        commitTimer = try loop.timer { [unowned self] in
            commitTimer = nil
            commit()
        }
        commitTimer?.fire(after: .microseconds(time))
        commitsSoon = time == 0
    }

    /// Takes the changes that may be saved now, and charges their users; others wait for a later commit.
    func takeChanges() -> [ScheduleChange] {
        commitsSoon = false
        let now = loop.bootClock
        let all = changes
        var waits = all.map { shares.wait(of: $0.user, at: now) }
        if let wait = waits.filter({ $0 > 0 }).min() {
            // Without a timer, nothing waits.
            do throws(SystemError) { try commitSoon(after: wait) } catch { waits = all.map { _ in 0 } }
        }
        changes = zip(all, waits).filter { $1 > 0 }.map { $0.0 }
        let taken = zip(all, waits).filter { $1 == 0 }.map { $0.0 }
        for change in taken { shares.charge(change.size, to: change.user, at: now) }
        return taken
    }

    /// Sets the timer to the next step of a program.
    func setLaunchTimer() throws(SystemError) {
        guard let next = launches.next else {
            launchTimer = nil
            return
        }
        if launchTimer == nil { launchTimer = try loop.timer { [unowned self] in launchDue() } }
        let now = loop.bootClock
        launchTimer?.fire(after: .microseconds(next > now ? next - now : 0))
    }
}
