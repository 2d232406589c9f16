// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Varlink

@testable import ReveilleService

/// A scheduler whose effects are written down, with a clock, a disk and a bus that are values.
final class SchedulerScene {
    static let start: Int64 = 1_700_000_000_000_000
    static let hour: Int64 = 3_600_000_000

    var scheduler = Scheduler(
        programs: ScheduledPrograms(queue: LaunchQueue(at: 0)), clock: ScheduleClock(awakeSince: start))
    var wallClock = start
    var bootClock: UInt64 = 60_000_000
    var file: Scheduler.File? = .init(isOpen: false, takesFirings: true, isLong: false, canShrink: false)
    var entryLimit = 10_000

    /// Whether the disk answers only when ``disk(_:)`` is called.
    var isDiskSlow = false
    /// The failures of the next answers of the disk.
    var failures: [String] = []
    /// The most firings that the disk has room for in one record.
    var room = Int.max
    /// What the disk does.
    private var work: Scheduler.Effect?
    var refusesAlarms = false
    /// How long an answer takes, since the calls after it are carried out too.
    var answerTime: Int64 = 0
    var wanted: Set<Aspect> = []
    private(set) var answers: [UInt64: Result<any BusReply, CallError>] = [:]
    private(set) var published: [Firing] = []
    private(set) var appended: [ScheduleRecord] = []

    var next: UInt64? { scheduler.next }

    /// The reason for which the change of a connection was refused.
    func refusal(on connection: UInt64) -> CallError? {
        guard case .failure(let error) = answers[connection] else { return nil }
        return error
    }

    private var facts: Scheduler.Facts {
        .init(wallClock: wallClock, bootClock: bootClock, entryLimit: entryLimit, file: file)
    }

    /// Lets a turn settle, and returns the names of its effects.
    func turn(after time: Int64 = 0) -> [String] {
        wallClock += time
        bootClock += UInt64(time)
        var names: [String] = []
        scheduler.beginTurn(facts)
        var effects = scheduler.settle(facts)
        while !effects.isEmpty {
            for effect in effects {
                names.append(name(of: effect))
                perform(effect)
            }
            effects = scheduler.settle(facts)
        }
        return names
    }

    /// Lets the alarm ring, and returns the names of the effects.
    func ring(after time: Int64 = 0) -> [String] {
        wallClock += time
        bootClock += UInt64(time)
        scheduler.alarmRang(isWake: false, clockHasChanged: false, at: wallClock)
        return turn()
    }

    /// Answers what waits for the disk, and returns the names of the effects that follow.
    func disk(_ failure: String? = nil) -> [String] {
        answer(failure)
        return turn()
    }

    /// Makes a change of a connection of its own.
    func change(_ kind: ScheduleChange.Kind, user: UInt32 = 1, on connection: UInt64 = 1) throws {
        _ = try scheduler.change(.init(kind: kind, user: user, connection: connection), facts)
    }

    /// Adds an entry that is due each hour, by default, and settles.
    func add(
        _ id: String = "one", at: Int64? = nil, every: Int64? = 3_600_000, wake: Bool? = nil, launch: [String]? = nil,
        user: UInt32 = 1, on connection: UInt64 = 1
    ) throws -> [String] {
        let entry = try ScheduleEntry(
            id: id, aspect: "org.example.a", at: at, every: at == nil ? every : nil, wake: wake, launch: launch)
        try change(.add(entry), user: user, on: connection)
        return turn()
    }

    private func name(of effect: Scheduler.Effect) -> String {
        switch effect {
        case .append(let records): "append \(records.count)"
        case .rewrite(let canRemove): canRemove ? "remove" : "rewrite"
        case .commit(let records): "commit \(records.count)"
        case .sync: "sync"
        case .answer: "answer"
        case .makeFirings(let due): "make \(due.count)"
        case .saveState: "save state"
        case .record(let passed): "record \(passed.count)"
        case .publish(let firings): "publish \(firings.count)"
        case .start(let command, _): "start \(command[0])"
        case .loadZones(let zones, _): "load \(zones.joined(separator: " "))"
        case .setAlarm(let time): time.map { "alarm \($0 - Self.start)" } ?? "no alarm"
        case .setWake(let time): time.map { "wake \($0 - Self.start)" } ?? "no wake"
        case .log(let level, _): "log \(level)"
        }
    }

    private func perform(_ effect: Scheduler.Effect) {
        switch effect {
        case .append(let records): appended += records
        case .rewrite, .commit, .sync:
            work = effect
            if !isDiskSlow { answer(failures.isEmpty ? nil : failures.removeFirst()) }
        case .answer(let change, let result):
            answers[change.connection] = result
            wallClock += answerTime
        case .makeFirings(let due): makeFirings(of: due)
        case .record(let passed): scheduler.recorded(passed.count > room ? "no room" : nil, facts)
        case .publish(let firings):
            published += firings
            scheduler.published(wanted: wanted, facts)
        case .setAlarm: if refusesAlarms { scheduler.alarmFailed("no descriptor", at: bootClock) }
        case .saveState, .start, .loadZones, .setWake, .log: break
        }
    }

    private func answer(_ failure: String?) {
        if case .rewrite(let canRemove) = work, failure == nil { file?.isOpen = !canRemove }
        scheduler.saved(failure, facts)
    }

    private func makeFirings(of due: [Schedule.Due]) {
        var number = published.count
        let firings = due.map { due -> Firing? in
            guard due.firings > 0 else { return nil }
            number += 1
            return Firing(
                instance: "one", number: number, value: due.item.entry.published, user: due.item.user,
                times: due.firings, before: number, sequence: number, time: Timestamp(microseconds: wallClock))
        }
        scheduler.checked(due, firings, at: wallClock)
    }
}
