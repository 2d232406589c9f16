// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore

/// The alarms of a schedule, and the clocks that it follows.
struct ScheduleClock {
    enum Alarm: Equatable {
        case absent
        /// The alarm exists, and is not set.
        case rung
        case set(Int64)

        var hasRung: Bool { self == .absent || self == .rung }
    }

    var alarm = Alarm.absent
    /// The alarm that wakes the machine, here or on the system bus.
    var wake = Alarm.absent
    /// The time since which no slot can have been missed.
    var awakeSince: Int64
    /// The zones that have changed; their new rules apply once nothing is due.
    var changedZones: Set<String> = []
}

extension Scheduler {
    mutating func alarmRang(isWake: Bool, clockHasChanged: Bool, at time: Int64) {
        if isWake { clock.wake = .rung }
        look()
        guard clockHasChanged else { return }
        clock.awakeSince = time
        returnToPresent(at: time)
    }

    /// Tries again later: without an alarm, nothing would be due until the next change of the schedule.
    mutating func alarmFailed(_ failure: String, at now: UInt64) {
        clock.alarm = .absent
        outbox.append(.log(.error, "the schedule: \(failure)"))
        storage.retryLater(than: now)
    }

    mutating func zoneChanged(_ zone: String, at time: Int64) {
        clock.changedZones.insert(zone)
        // The clock may have been set, too.
        returnToPresent(at: time)
        look()
    }

    /// Fires due entries although the alarm is set.
    mutating func look() {
        if clock.alarm != .absent { clock.alarm = .rung }
    }

    /// Resumes entries that fired while the clock was far ahead.
    mutating func returnToPresent(at time: Int64) {
        storage.unsaved += entries.returnToPresent(at: time).map { .added($0) }
    }

    /// Loads the changed zones once all past slots, which follow the old rules, have fired.
    mutating func loadZones(_ facts: Facts) -> [Effect]? {
        guard !clock.changedZones.isEmpty, entries.next ?? .max > facts.wallClock else { return nil }
        defer { clock.changedZones = [] }
        return [.loadZones(clock.changedZones.sorted(), at: facts.wallClock)]
    }

    /// Sets the alarms to the next slots, unless firings wait for room on the disk.
    mutating func setAlarms(_ facts: Facts) -> [Effect] {
        let isPaused = storage.retry != nil
        var effects: [Effect] = []
        let nextWake = isPaused ? nil : entries.nextWake
        let wake = nextWake.map { ScheduleClock.Alarm.set($0) } ?? .absent
        // A slot that is due already is handled in another turn of the loop.
        if wake != clock.wake, nextWake ?? .max > facts.wallClock {
            clock.wake = wake
            effects.append(.setWake(nextWake))
        }
        guard !isPaused, entries.next != nil else {
            if clock.alarm != .absent { effects.append(.setAlarm(nil)) }
            clock.alarm = .absent
            return effects
        }
        if clock.alarm == .absent {
            // Without an alarm, a clock that was set back went unnoticed.
            clock.awakeSince = min(clock.awakeSince, facts.wallClock)
            returnToPresent(at: facts.wallClock)
        }
        // Due entries that wait for the disk need no alarm: the disk's answer lets them fire.
        guard let next = entries.next, next > facts.wallClock || !isChanging, clock.alarm != .set(next) else {
            return effects
        }
        clock.alarm = .set(next)
        return effects + [.setAlarm(next)]
    }
}
