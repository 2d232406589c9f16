// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension Broker {
    /// The most programs that are started before other sources have their turn; each start takes about a millisecond.
    private static let startsPerTurn = 8

    /// Takes over a program that the bus before had to start.
    ///
    /// In another instance, its firings are published again, since nobody has received them and the positions before them
    /// are unknown.
    func resume(_ launch: ScheduleRecord.Launching) {
        var waiting = launch.waiting
        if launch.instance != bus.instance {
            let firing = bus.firing(
                of: waiting.value, times: waiting.times, by: waiting.user, at: now, after: [])
            bus.fire(firing)
            waiting.before = firing.before
        }
        scheduler.launches.add(launch.command, for: waiting, at: loop.bootClock)
        scheduler.launches.restore(starts: launch.starts, of: launch.command, at: loop.bootClock)
    }

    /// Notes a subscription, for whose aspects no program needs to be started any more.
    func noteSubscription(to aspects: AspectSet) {
        guard !scheduler.launches.programs.isEmpty else { return }
        let settled = scheduler.launches.subscribed(to: aspects)
        guard !settled.isEmpty else { return }
        _ = saveSchedule(settled.map { .settled($0.command, $0.name) }, isDurable: false)
        waitForSchedule()
    }

    /// Starts the programs whose time has come.
    func launchPrograms() {
        for _ in 0..<Self.startsPerTurn {
            guard let step = scheduler.launches.step(at: loop.bootClock) else { break }
            switch step {
            case .start(let command, let positions): start(command, positions)
            case .lapse(let command, let pause):
                logger.warning(
                    "\(Self.text(command)) has not subscribed; it is started again in \(pause / 60_000_000) min")
            }
        }
        attempt { () throws(SystemError) in try scheduler.setLaunchTimer() }
    }

    private func start(_ command: [String], _ positions: [Aspect: Int]) {
        // Saved first: a bus that is killed now must not start the program at once again.
        let starts = scheduler.launches.programs[command]?.starts ?? 1
        _ = saveSchedule([.started(command, starts: starts)], isDurable: false)
        guard let launcher = scheduler.services.launcher else {
            return launchFailed(command, "this bus starts no programs")
        }
        var additions = ["REVEILLE_LAUNCH": launchText(positions)]
        additions["REVEILLE_ADDRESS"] = scheduler.services.address
        launcher.launch(command, adding: additions) { [weak self] launch in
            switch launch {
            case .started: self?.logger.info("started \(Self.text(command)) for what is due")
            case .alreadyRunning: self?.postpone(command)
            case .failed(let reason): self?.launchFailed(command, reason)
            }
        }
    }

    /// Looks again soon: a program that is about to end will not subscribe for what is due since.
    private func postpone(_ command: [String]) {
        logger.debug("\(Self.text(command)) is running and has not subscribed yet")
        scheduler.launches.postpone(command, at: loop.bootClock)
        attempt { () throws(SystemError) in try scheduler.setLaunchTimer() }
    }

    private func launchFailed(_ command: [String], _ reason: String) {
        let pause = scheduler.launches.startFailed(command, at: loop.bootClock)
        logger.warning(
            "\(Self.text(command)) cannot be started: \(reason); it is tried again in \(pause / 60_000_000) min")
        attempt { () throws(SystemError) in try scheduler.setLaunchTimer() }
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
