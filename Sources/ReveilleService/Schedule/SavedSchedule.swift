// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore

/// The schedule that the records of a file describe.
package struct SavedSchedule: Sendable {
    private struct Key: Hashable {
        let user: UInt32
        let id: String
    }

    private var entries: [Key: Schedule.Item] = [:]
    private var programs: [[String]: [Aspect: ScheduleRecord.Launching]] = [:]
    /// The firings since the file was written anew, in their order.
    package private(set) var firings: [Firing] = []

    /// Creates a schedule without entries.
    package init() {}

    /// The entries, by user and identifier.
    package var items: [Schedule.Item] {
        entries.sorted { ($0.key.user, $0.key.id) < ($1.key.user, $1.key.id) }.map(\.value)
    }

    /// The programs to start, by command and name.
    package var launches: [ScheduleRecord.Launching] {
        programs.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap { _, names in
            names.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// Applies the next record.
    package mutating func apply(_ record: ScheduleRecord) {
        switch record {
        case .added(let item): entries[Key(user: item.user, id: item.entry.id)] = item
        case .removed(let ids, let user):
            for id in ids { entries[Key(user: user, id: id)] = nil }
        case .passed(let passed):
            for passed in passed { apply(passed) }
        case .launching(let launch): programs[launch.command, default: [:]][launch.waiting.value.name] = launch
        case .started(let command, let starts):
            for name in programs[command, default: [:]].keys { programs[command]?[name]?.starts = starts }
        case .settled(let command, let name):
            programs[command]?[name] = nil
            if programs[command]?.isEmpty == true { programs[command] = nil }
        }
    }

    private mutating func apply(_ passed: ScheduleRecord.Passed) {
        let key = Key(user: passed.user, id: passed.id)
        if let firing = passed.firing {
            firings.append(firing)
            if passed.isLaunching, let command = entries[key]?.entry.launch { add(firing, for: command) }
        }
        entries[key]?.after = passed.after
        entries[key]?.fired = passed.fired
        if passed.isLast { entries[key] = nil }
    }

    private mutating func add(_ firing: Firing, for command: [String]) {
        let starts = programs[command]?.values.first?.starts ?? 0
        if var known = programs[command]?[firing.value.name], known.instance == firing.instance {
            known.waiting.value = firing.value
            known.waiting.times += firing.times
            programs[command]?[firing.value.name] = known
        } else {
            programs[command, default: [:]][firing.value.name] = ScheduleRecord.Launching(
                command: command, starts: starts, instance: firing.instance,
                waiting: LaunchQueue.Waiting(
                    value: firing.value, user: firing.user, times: firing.times, before: firing.before))
        }
    }
}
