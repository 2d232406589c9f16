// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

struct ScheduleTimers {
    var alarm: (any WallClockAlarm)?
    var alarmTime: Int64?
    var wake: (any WallClockAlarm)?
    /// The time for which the machine is to wake.
    var wakeTime: Int64?
    /// Whether the log has the reason why this bus does not wake the machine.
    var hasReported = false
    var commit: (any LoopSource)?
    var launch: (any LoopSource)?
    var retry: (any LoopSource)?
    /// Whether the changes are saved in the next turn of the loop.
    var commitsSoon = false

    var sourceCount: Int {
        [alarm, wake].count { $0 != nil } + [commit, launch, retry].count { $0 != nil }
    }
}

extension ScheduleService {
    /// The pause before firings that could not be saved are tried again.
    static let retryPause: Duration = .seconds(10)

    /// Sets the alarms to the next slots, unless firings wait for room on the disk.
    func setAlarm() throws(SystemError) {
        setWake(to: timers.retry == nil ? schedule.nextWake : nil)
        if timers.alarm == nil, timers.retry == nil, schedule.next != nil {
            // Without an alarm, a clock that was set back went unnoticed.
            awakeSince = min(awakeSince, loop.wallClock)
            returnToPresent()
            timers.alarm = try loop.alarm { [unowned self] event in
                timers.alarmTime = nil
                alarmRang(event)
            }
        }
        guard let next = timers.retry == nil ? schedule.next : nil else {
            timers.alarm = nil
            timers.alarmTime = nil
            return
        }
        // A slot that is due already is handled in another turn of the loop.
        guard next != timers.alarmTime || next <= loop.wallClock else { return }
        timers.alarm?.set(to: next)
        timers.alarmTime = next
    }

    func alarmRang(_ event: WallClockEvent) {
        if event == .clockChanged {
            awakeSince = loop.wallClock
            returnToPresent()
        }
        fire()
    }

    func retry() throws(SystemError) {
        guard timers.retry == nil else { return }
        timers.retry = try loop.timer { [unowned self] in
            timers.retry = nil
            // Without an alarm meanwhile, a change of the clock went unnoticed.
            returnToPresent()
            fire()
        }
        timers.retry?.fire(after: Self.retryPause)
    }

    func commitSoon(after time: UInt64 = 0) throws(SystemError) {
        timers.commit = try loop.timer { [unowned self] in
            timers.commit = nil
            commitChanges()
        }
        timers.commit?.fire(after: .microseconds(time))
        timers.commitsSoon = time == 0
    }

    /// Takes the changes that may be saved now, and charges their users; others wait for a later commit.
    func takeChanges() -> [ScheduleChange] {
        timers.commitsSoon = false
        let now = loop.bootClock
        let all = changes
        var waits = all.map { shares.excess(of: $0.user, at: now) }
        if let wait = waits.filter({ $0 > 0 }).min() {
            // Without a timer, nothing waits.
            do throws(SystemError) { try commitSoon(after: wait) } catch { waits = all.map { _ in 0 } }
        }
        changes = zip(all, waits).filter { $1 > 0 }.map { $0.0 }
        let taken = zip(all, waits).filter { $1 == 0 }.map { $0.0 }
        for change in taken { shares.charge(UInt64(change.size), to: change.user, at: now) }
        return taken
    }

    func setLaunchTimer() throws(SystemError) {
        guard let next = launches.next else {
            timers.launch = nil
            return
        }
        if timers.launch == nil { timers.launch = try loop.timer { [unowned self] in launchPrograms() } }
        let now = loop.bootClock
        timers.launch?.fire(after: .microseconds(next > now ? next - now : 0))
    }
}
