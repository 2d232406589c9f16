// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleHost
import ReveilleSystem
import Varlink

extension BusServer {
    func mayLaunch(_ user: UInt32) -> CapabilityAnswer {
        guard facilities.schedule.launcher != nil else { return .no("a bus within a program starts no others") }
        let owner = permissions.owner
        return user == owner ? .yes : .no("permission denied: this bus starts programs for uid \(owner) only")
    }

    /// In another instance, the program's firings are published again, since nobody has received them and the positions
    /// before them are unknown.
    func resume(_ launch: ScheduleRecord.Launching) {
        var waiting = launch.waiting
        if launch.instance != bus.instance {
            let firing = bus.firing(
                of: waiting.value, times: min(waiting.times, Firing.most), by: waiting.user, at: now, after: [])
            supersedeStateOrDisconnect()
            bus.fire(firing)
            waiting = LaunchQueue.Waiting(firing)
        }
        features.scheduler.programs.queue.add(launch.command, for: waiting, isAttended: false, at: loop.bootClock)
        features.scheduler.programs.queue.restore(starts: launch.starts, of: launch.command, at: loop.bootClock)
    }

    /// Takes over a program that the bus before has started, if it is still running.
    func adopt(_ process: ProcessIdentity, running command: [String]) {
        do throws(SystemError) {
            guard let launcher = facilities.schedule.launcher, try launcher.adopt(process, running: command) else {
                return
            }
        } catch {
            // It may be running, so the next bus tries again.
            logger.error("\(command.joined(separator: " ")) may be running, and cannot be followed: \(error)")
        }
        features.scheduler.programs.children.add(command, process)
    }

    func start(_ command: [String], _ positions: [Aspect: Int]) {
        guard let launcher = facilities.schedule.launcher else {
            return features.scheduler.startFailed(command, "this bus starts no programs", at: loop.bootClock)
        }
        var additions = ["REVEILLE_LAUNCH": launchText(positions)]
        additions["REVEILLE_ADDRESS"] = facilities.schedule.address
        launcher.launch(
            command, adding: additions,
            then: weakly(self) { server, launch in
                server.changeSchedule {
                    switch launch {
                    case .started(let process): $0.started(command, process)
                    case .alreadyRunning: $0.foundRunning(command, at: $1.bootClock)
                    case .failed(let reason): $0.startFailed(command, reason, at: $1.bootClock)
                    }
                }
            })
    }

    /// The value of `REVEILLE_LAUNCH`.
    private func launchText(_ positions: [Aspect: Int]) -> String {
        let resume = positions.sorted { $0.key < $1.key }.map { name, generation -> JSON in
            ["aspect": .string(name.name), "generation": .integer(Int64(generation))]
        }
        let object: JSONObject = ["instance": .string(bus.instance), "resume": .array(resume)]
        return String(decoding: JSON.object(object).bytes, as: UTF8.self)
    }

    // MARK: - Subscribers, who receive firings for which a program would be started otherwise

    func attendFirings(of aspects: AspectSet) {
        if !features.scheduler.programs.queue.isEmpty {
            changeSchedule { scheduler, _ in scheduler.programs.queue.attend(to: aspects) }
        }
    }

    func awaitsFirings(_ connection: Connection) -> Bool {
        connection.subscription != nil && !namesAttended(by: connection).isEmpty
    }

    /// Returns the names whose firings wait for a connection; each delivery asks for them while there are any.
    private func namesAttended(by connection: Connection) -> [Aspect] {
        let names = connection.aspects.names
        if names.contains(where: \.isPattern) {
            return features.attendedNames.filter { connection.aspects.covers($0) }
        }
        return names.filter { features.attendedNames.contains($0) }
    }

    /// The positions of a subscription in the names whose firings wait for it.
    private func positions(of connection: Connection) -> [Aspect: Int] {
        guard let id = connection.subscription else { return [:] }
        return namesAttended(by: connection).reduce(into: [:]) { $0[$1] = bus.position(of: $1, in: id) }
    }

    func sendsFirings(to connection: Connection) {
        let positions = positions(of: connection)
        guard !positions.isEmpty else { return }
        connection.awaitReading()
        changeSchedule { scheduler, _ in scheduler.sent(positions) }
        saveRecords()
    }

    func receivesFirings(_ connection: Connection) {
        let (positions, instance) = (positions(of: connection), bus.instance)
        if !positions.isEmpty { changeSchedule { scheduler, _ in scheduler.received(positions, of: instance) } }
    }

    /// Lets programs be started for firings that the last subscriber of their names has left without receiving.
    func desertFirings() {
        let (names, instance) = (
            features.attendedNames.filter { !bus.isWanted($0) }.sorted(), bus.instance
        )
        if !names.isEmpty { changeSchedule { $0.deserted(names, of: instance, at: $1.bootClock) } }
    }

    func renewSchedule() {
        guard facilities.schedule.file?.facts.isOpen == true else { return }
        features.scheduler.storage.unsaved.append(.began(instance: bus.instance, firings: 0))
        saveRecords()
    }
}
