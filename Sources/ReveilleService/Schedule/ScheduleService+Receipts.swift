// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

// How subscribers receive firings for which a program would be started otherwise.

extension ScheduleService {
    /// Sets the timer for the programs to start, and waits for subscribers to read if a start depends on them.
    func launchesChanged() {
        attendedNames = launches.attended
        access.waits(!attendedNames.isEmpty, self)
        attempt { () throws(SystemError) in try setLaunchTimer() }
    }

    func subscribed(_ connection: Connection, to aspects: AspectSet) {
        guard !launches.isEmpty else { return }
        launches.attend(to: aspects)
        launchesChanged()
    }

    func awaitsReading(by connection: Connection) -> Bool {
        connection.subscription != nil && !namesAttended(by: connection).isEmpty
    }

    /// Returns the names whose firings wait for a connection; each delivery asks for them while there are any.
    private func namesAttended(by connection: Connection) -> [Aspect] {
        let names = connection.aspects.names
        if names.contains(where: \.isPattern) { return attendedNames.filter { connection.aspects.covers($0) } }
        return names.filter { attendedNames.contains($0) }
    }

    /// A reply that was sent can be read even if the bus is killed, so the next bus does not start the program for it.
    func sends(to connection: Connection) {
        let names = namesAttended(by: connection)
        guard !names.isEmpty, let id = connection.subscription else { return }
        connection.awaitReading()
        var records: [ScheduleRecord] = []
        for name in names {
            guard let generation = bus.position(of: name, in: id) else { continue }
            records += launches.send(name, through: generation).map { .settled($0, name) }
        }
        if !records.isEmpty { save(records) }
    }

    func hasRead(_ connection: Connection) {
        guard let id = connection.subscription else { return }
        var receipts: [LaunchQueue.Receipt] = []
        for name in namesAttended(by: connection) {
            guard let generation = bus.position(of: name, in: id) else { continue }
            receipts += launches.receive(name, through: generation)
        }
        guard !receipts.isEmpty else { return }
        let records = receipts.compactMap { receipt -> ScheduleRecord? in
            guard let rest = receipt.rest else {
                return receipt.wasSent ? nil : .settled(receipt.command, receipt.name)
            }
            return record(of: rest, for: receipt.command)
        }
        if !records.isEmpty || isEmpty { save(records) }
        launchesChanged()
    }

    /// Allows programs to be started for firings that the last subscriber of their name left without receiving.
    func desertNames() {
        var records: [ScheduleRecord] = []
        for name in attendedNames where !bus.isWanted(name) {
            for command in launches.desert(name, at: loop.bootClock) {
                guard let waiting = launches.program(command)?.waiting[name] else { continue }
                records.append(record(of: waiting, for: command))
            }
        }
        if !records.isEmpty { save(records) }
        launchesChanged()
    }

    private func record(of waiting: LaunchQueue.Waiting, for command: [String]) -> ScheduleRecord {
        let starts = launches.program(command)?.starts ?? 0
        return .launching(.init(command: command, starts: starts, instance: bus.instance, waiting: waiting))
    }
}
