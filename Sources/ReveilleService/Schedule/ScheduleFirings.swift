// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore

/// The firings that are recorded together, before any of them is published.
struct FiringBatch {
    let due: [Schedule.Due]
    let passed: [ScheduleRecord.Passed]
    var isRecorded = false

    var firings: [Firing] { passed.compactMap(\.firing) }
}

extension Scheduler {
    /// Whether a change waits for the disk, which firings wait for.
    var isChanging: Bool { batch != nil || storage.work == .commit || storage.work == .rewrite }

    /// Takes the entries that are due, once the alarm has rung.
    mutating func fire(_ facts: Facts) -> [Effect]? {
        guard clock.alarm.hasRung, storage.retry == nil, !isChanging, budget.firings > 0,
            let next = entries.next, next <= facts.wallClock
        else { return nil }
        if let file = facts.file, !file.takesFirings {
            storage.needsRewrite = true
            return rewrite(file)
        }
        var due: [Schedule.Due] = []
        while due.count < budget.firings,
            let next = entries.takeDue(at: facts.wallClock, awakeSince: clock.awakeSince)
        {
            due.append(next)
        }
        budget.firings -= due.count
        return [.makeFirings(due)]
    }

    /// Leaves out the firings of an entry whose owner may no longer publish them.
    mutating func leaveOut(_ due: Schedule.Due, at time: Int64) -> Schedule.Due {
        var due = due
        due.firings = 0
        // The entry stays without a next slot if this was its last.
        var rest = due.rest ?? due.item
        rest.after = max(rest.after, time)
        rest.fired = due.item.fired
        due.rest = entries.add(rest)
        return due
    }

    /// Notes due entries that were checked, with the firing of each that has some.
    mutating func checked(_ due: [Schedule.Due], _ firings: [Firing?], at time: Int64) {
        let passed = zip(due, firings).map { due, firing in
            ScheduleRecord.Passed(
                user: due.item.user, id: due.item.entry.id, after: due.rest?.after ?? time,
                fired: due.item.fired + due.firings, isLast: due.rest == nil, firing: firing,
                isLaunching: firing != nil && due.item.entry.launch != nil)
        }
        firing = FiringBatch(due: due, passed: passed)
    }

    mutating func continueFiring(_ facts: Facts) -> [Effect]? {
        guard let batch = firing else { return nil }
        if batch.isRecorded || facts.file == nil { return [.publish(batch.firings)] }
        return (batch.firings.isEmpty ? [] : [.saveState]) + [.record(batch.passed)]
    }

    /// Notes whether the firings were recorded, and puts them back otherwise.
    mutating func recorded(_ failure: String?, _ facts: Facts) {
        firing?.isRecorded = true
        guard let failure, let due = firing?.due else { return }
        firing = nil
        for due in due { entries.add(due.item) }
        // There may be room without the records of past firings, or for fewer.
        if facts.file?.canShrink == true {
            storage.needsRewrite = true
        } else if due.count > 1 {
            budget.firings = due.count / 2
            return
        } else {
            outbox.append(.log(.error, "the schedule: \(failure)"))
        }
        storage.retryLater(than: facts.bootClock)
    }

    /// Notes that the firings were published, and that subscriptions want some of their names.
    mutating func published(wanted: Set<Aspect>, _ facts: Facts) {
        guard let batch = firing else { return }
        firing = nil
        storage.hasGrown = true
        storage.areFiringsUnsynced = true
        for (due, passed) in zip(batch.due, batch.passed) {
            guard passed.isLaunching, let command = due.item.entry.launch, let firing = passed.firing else { continue }
            programs.queue.add(
                command, for: LaunchQueue.Waiting(firing), isAttended: wanted.contains(firing.value.name),
                at: facts.bootClock)
        }
    }
}
