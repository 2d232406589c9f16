// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore

/// The programs that are started for firings; changes return the records that save them.
struct ScheduledPrograms {
    var queue: LaunchQueue
    /// The launched programs that are children of a bus, and not known to have ended.
    var children = LaunchedPrograms()

    var isEmpty: Bool { queue.isEmpty && children.isEmpty }

    func records(of instance: String) -> [ScheduleRecord] {
        let launching = queue.programs.flatMap { program in
            program.waiting.filter { !program.sent.contains($0.key) }.sorted { $0.key < $1.key }.map {
                record(of: $0.value, for: program.command, instance)
            }
        }
        return launching + children.all.map { .running($0.command, $0.process) }
    }

    func record(of waiting: LaunchQueue.Waiting, for command: [String], _ instance: String) -> ScheduleRecord {
        let starts = queue.program(command)?.starts ?? 0
        return .launching(.init(command: command, starts: starts, instance: instance, waiting: waiting))
    }
}

extension Scheduler {
    /// A reply that was sent can be read even if the bus is killed, so the next bus does not start the program for it.
    mutating func sent(_ positions: [Aspect: Int]) {
        for (name, generation) in positions.sorted(by: { $0.key < $1.key }) {
            storage.unsaved += programs.queue.send(name, through: generation).map { .settled($0, name) }
        }
    }

    mutating func received(_ positions: [Aspect: Int], of instance: String) {
        // Without programs, the file may no longer be needed.
        storage.hasGrown = true
        for (name, generation) in positions.sorted(by: { $0.key < $1.key }) {
            for receipt in programs.queue.receive(name, through: generation) {
                if let rest = receipt.rest {
                    storage.unsaved.append(programs.record(of: rest, for: receipt.command, instance))
                } else if !receipt.wasSent {
                    storage.unsaved.append(.settled(receipt.command, name))
                }
            }
        }
    }

    /// Allows programs to be started for firings that the last subscriber of their name left without receiving.
    mutating func deserted(_ names: [Aspect], of instance: String, at now: UInt64) {
        for name in names {
            for command in programs.queue.desert(name, at: now) {
                guard let waiting = programs.queue.program(command)?.waiting[name] else { continue }
                storage.unsaved.append(programs.record(of: waiting, for: command, instance))
            }
        }
    }

    /// Starts the next program; its start is saved first, so that the next bus does not start it again at once.
    mutating func startProgram(_ facts: Facts) -> [Effect]? {
        guard budget.starts > 0, let next = programs.queue.next, next <= facts.bootClock,
            let step = programs.queue.step(at: facts.bootClock)
        else { return nil }
        budget.starts -= 1
        switch step {
        case .start(let command, let positions):
            let starts = programs.queue.program(command)?.starts ?? 1
            storage.unsaved.append(.started(command, starts: starts))
            return (saveRecords(facts.file) ?? []) + [.start(command, positions: positions)]
        case .lapse(let command, let pause):
            return [
                .log(.warning, "\(text(command)) has not subscribed; it is started again in \(pause / 60_000_000) min")
            ]
        }
    }

    /// Notes that a program was started; as a child, it is saved, so that the next bus does not start it a second time.
    mutating func started(_ command: [String], _ process: LaunchedPrograms.Process?) {
        outbox.append(.log(.info, "started \(text(command)) for due firings"))
        guard let process else { return }
        programs.children.add(command, process)
        storage.unsaved.append(.running(command, process))
    }

    /// Looks again soon: a program that is about to end will not subscribe for newer firings.
    mutating func foundRunning(_ command: [String], at now: UInt64) {
        outbox.append(.log(.debug, "\(text(command)) is running and has not subscribed yet"))
        programs.queue.postpone(command, at: now)
    }

    mutating func startFailed(_ command: [String], _ reason: String, at now: UInt64) {
        let pause = programs.queue.startFailed(command, at: now) / 60_000_000
        outbox.append(
            .log(.warning, "\(text(command)) cannot be started: \(reason); it is tried again in \(pause) min"))
    }

    mutating func ended(_ command: [String], _ result: String, at now: UInt64) {
        outbox.append(.log(.debug, "\(text(command)) \(result)"))
        if programs.children.remove(command) { storage.unsaved.append(.ended(command)) }
        programs.queue.ended(command, at: now)
    }

    private func text(_ command: [String]) -> String { command.joined(separator: " ") }
}
