// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem
import ReveilleWire

/// The schedule that the records of a file describe.
package struct SavedSchedule: Sendable {
    private struct Key: Hashable {
        let user: UInt32
        let id: ExactText
    }

    private var entries: [Key: Schedule.Item] = [:]
    private var programs: [[ExactText]: [Aspect: ScheduleRecord.Launching]] = [:]
    /// The launched programs that are not known to have ended.
    private(set) var children = LaunchedPrograms()
    /// The firings since the file was written anew, in their order.
    package private(set) var firings: [Firing] = []
    /// The firings before these, by their instance and the number of the last firing; `nil` in files of earlier
    /// releases.
    private var omitted: (instance: String, firings: Int)?

    package init() {}

    init(decoding bytes: [UInt8]) throws(StateError) {
        guard bytes.starts(with: ScheduleFile.header) else {
            throw StateError(reason: "not a schedule of version \(ScheduleFile.version)")
        }
        var isTorn = false
        // Text after the last line end is an incomplete record.
        let end = bytes.lastIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
        for line in bytes[..<end].dropFirst(ScheduleFile.header.count).split(separator: UInt8(ascii: "\n")) {
            guard !isTorn else { throw StateError(reason: "a record before the last one is damaged") }
            guard let record = try ScheduleRecord(line: line, values: value) else {
                isTorn = true
                continue
            }
            apply(record)
        }
    }

    package var items: [Schedule.Item] {
        entries.values.sorted { ($0.user, $0.entry.id) < ($1.user, $1.entry.id) }
    }

    package var launches: [ScheduleRecord.Launching] {
        programs.values.flatMap { $0.values }.sorted {
            $0.command == $1.command
                ? $0.waiting.value.name < $1.waiting.value.name : $0.command.lexicographicallyPrecedes($1.command)
        }
    }

    /// Removes the values that are nested too deeply for this version; returns their entries, which fire without them.
    mutating func removeDeepValues() -> [Schedule.Item] {
        for (command, launches) in programs {
            for (name, launch) in launches where launch.waiting.value.isTooDeep {
                programs[command]?[name]?.waiting.value = PublishedValue(name, bytes: Array("{}".utf8))
            }
        }
        let deep = items.filter(\.entry.published.isTooDeep)
        for item in deep { entries[Key(user: item.user, id: ExactText(item.entry.id))]?.entry.value = nil }
        return deep
    }

    func value(of id: String, of user: UInt32) -> PublishedValue? {
        entries[Key(user: user, id: ExactText(id))].map(\.entry.published)
    }

    package mutating func apply(_ record: ScheduleRecord) {
        switch record {
        case .began(let instance, let firings):
            omitted = (instance, firings)
            self.firings = []
        case .added(let item): entries[Key(user: item.user, id: ExactText(item.entry.id))] = item
        case .removed(let ids, let user):
            for id in ids { entries[Key(user: user, id: ExactText(id))] = nil }
        case .passed(let passed):
            for passed in passed { apply(passed) }
        case .launching(let launch):
            programs[ExactText.list(launch.command), default: [:]][launch.waiting.value.name] = launch
        case .started(let command, let starts):
            let key = ExactText.list(command)
            for name in programs[key, default: [:]].keys { programs[key]?[name]?.starts = starts }
        case .settled(let command, let name):
            let key = ExactText.list(command)
            programs[key]?[name] = nil
            if programs[key]?.isEmpty == true { programs[key] = nil }
        case .running(let command, let process): children.add(command, process)
        case .ended(let command): children.remove(command)
        }
    }

    /// Returns a saved state with the firings that followed it.
    ///
    /// The result is `nil` if the file has left out some of these firings, or another instance followed.
    package func completing(_ state: SavedState) -> SavedState? {
        guard firings.last?.instance ?? omitted?.instance ?? state.instance == state.instance else { return nil }
        if let omitted, omitted.instance == state.instance, state.firings < omitted.firings { return nil }
        var state = state
        state.replay(firings)
        return state
    }

    private mutating func apply(_ passed: ScheduleRecord.Passed) {
        let key = Key(user: passed.user, id: ExactText(passed.id))
        if let firing = passed.firing {
            firings.append(firing)
            if passed.isLaunching, let command = entries[key]?.entry.launch { add(firing, for: command) }
        }
        entries[key]?.after = passed.after
        entries[key]?.fired = passed.fired
        if passed.isLast { entries[key] = nil }
    }

    private mutating func add(_ firing: Firing, for command: [String]) {
        let (key, name) = (ExactText.list(command), firing.value.name)
        if programs[key]?[name]?.instance == firing.instance {
            programs[key]?[name]?.waiting.add(LaunchQueue.Waiting(firing))
        } else {
            let starts = programs[key]?.values.first?.starts ?? 0
            programs[key, default: [:]][name] = ScheduleRecord.Launching(
                command: command, starts: starts, instance: firing.instance, waiting: LaunchQueue.Waiting(firing))
        }
    }
}

/// The programs that a bus has launched, which outlast it; the next bus does not start them a second time.
package struct LaunchedPrograms: Sendable {
    package typealias Process = ProcessIdentity

    private var processes: [[ExactText]: (command: [String], process: ProcessIdentity)] = [:]

    package var isEmpty: Bool { processes.isEmpty }

    package var all: [(command: [String], process: ProcessIdentity)] {
        processes.values.sorted { $0.command.lexicographicallyPrecedes($1.command) }
    }

    package mutating func add(_ command: [String], _ process: ProcessIdentity) {
        processes[ExactText.list(command)] = (command, process)
    }

    /// Removes a program that has ended, and returns whether it was known.
    @discardableResult
    package mutating func remove(_ command: [String]) -> Bool {
        processes.removeValue(forKey: ExactText.list(command)) != nil
    }
}
