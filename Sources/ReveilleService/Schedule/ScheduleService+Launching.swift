// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem
import Varlink

extension ScheduleService {
    func mayLaunch(_ user: UInt32) -> CapabilityAnswer {
        guard services.launcher != nil else { return .no("a bus within a program starts no others") }
        let owner = access.permissions.owner
        return user == owner ? .yes : .no("permission denied: this bus starts programs for uid \(owner) only")
    }

    /// In another instance, the program's firings are published again, since nobody has received them and the positions
    /// before them are unknown.
    func resume(_ launch: ScheduleRecord.Launching) {
        var waiting = launch.waiting
        if launch.instance != bus.instance {
            let firing = bus.firing(
                of: waiting.value, times: min(waiting.times, Firing.most), by: waiting.user, at: now, after: [])
            access.supersedeStateOrDisconnect()
            bus.fire(firing)
            waiting = LaunchQueue.Waiting(firing)
        }
        launches.add(launch.command, for: waiting, isAttended: false, at: loop.bootClock)
        launches.restore(starts: launch.starts, of: launch.command, at: loop.bootClock)
    }

    /// Takes over a program that the bus before has started, if it is still running.
    func adopt(_ process: ProcessIdentity, running command: [String]) {
        do throws(SystemError) {
            guard let launcher = services.launcher, try launcher.adopt(process, running: command) else {
                return
            }
        } catch {
            // It may be running, so the next bus tries again.
            logger.error("\(Self.text(command)) may be running, and cannot be followed: \(error)")
        }
        children.add(command, process)
    }

    func programEnded(_ command: [String], _ result: String) {
        logger.debug("\(Self.text(command)) \(result)")
        if children.remove(command) { save([.ended(command)]) }
        launches.ended(command, at: loop.bootClock)
        launchesChanged()
    }

    func launchPrograms() {
        for _ in 0..<LaunchQueue.startsPerTurn {
            guard let step = launches.step(at: loop.bootClock) else { break }
            switch step {
            case .start(let command, let positions): start(command, positions)
            case .lapse(let command, let pause):
                logger.warning(
                    "\(Self.text(command)) has not subscribed; it is started again in \(pause / 60_000_000) min")
            }
        }
        launchesChanged()
    }

    private func start(_ command: [String], _ positions: [Aspect: Int]) {
        // Saved first: a bus that is killed now must not start the program at once again.
        let starts = launches.program(command)?.starts ?? 1
        save([.started(command, starts: starts)])
        guard let launcher = services.launcher else {
            return launchFailed(command, "this bus starts no programs")
        }
        var additions = ["REVEILLE_LAUNCH": launchText(positions)]
        additions["REVEILLE_ADDRESS"] = services.address
        launcher.launch(command, adding: additions) { [weak self] launch in
            switch launch {
            case .started(let process): self?.started(command, process)
            case .alreadyRunning: self?.postpone(command)
            case .failed(let reason): self?.launchFailed(command, reason)
            }
        }
    }

    private func started(_ command: [String], _ process: ProcessIdentity?) {
        logger.info("started \(Self.text(command)) for what is due")
        guard let process else { return }
        // Saved, so that the next bus does not start it a second time while it is running.
        children.add(command, process)
        save([.running(command, process)])
    }

    /// Looks again soon: a program that is about to end will not subscribe for newer firings.
    private func postpone(_ command: [String]) {
        logger.debug("\(Self.text(command)) is running and has not subscribed yet")
        launches.postpone(command, at: loop.bootClock)
        launchesChanged()
    }

    private func launchFailed(_ command: [String], _ reason: String) {
        let pause = launches.startFailed(command, at: loop.bootClock)
        logger.warning(
            "\(Self.text(command)) cannot be started: \(reason); it is tried again in \(pause / 60_000_000) min")
        launchesChanged()
    }

    /// The value of `REVEILLE_LAUNCH`.
    private func launchText(_ positions: [Aspect: Int]) -> String {
        let resume = positions.sorted { $0.key < $1.key }.map { name, generation -> JSON in
            ["aspect": .string(name.name), "generation": .integer(Int64(generation))]
        }
        let object: JSONObject = ["instance": .string(bus.instance), "resume": .array(resume)]
        return String(decoding: JSON.object(object).bytes, as: UTF8.self)
    }

    private static func text(_ command: [String]) -> String { command.joined(separator: " ") }
}
