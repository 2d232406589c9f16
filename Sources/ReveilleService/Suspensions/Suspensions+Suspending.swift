// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension Suspensions {
    /// Suspends the program behind a subscription in the background; the reply follows when the program is frozen.
    func suspend(_ target: Connection, for connection: Connection) throws(CallError) {
        guard let process = target.process else {
            throw .cannotSuspend("process \(target.peer.pid) cannot be followed")
        }
        if !process.ending.isEmpty {
            throw .cannotSuspend("process \(process.process.pid) has declared that it ends in the background")
        }
        if let suspension = suspension(of: target) {
            guard !suspension.freeze.isFrozen || !suspension.freeze.isSettled else {
                return access.reply(EmptyReply(), on: connection)
            }
            add(connection, to: suspension)
            // It may be on the way back.
            if !suspension.freeze.wantsFrozen, suspension.departure == nil {
                suspension.departure = Departure(at: loop.bootClock)
            }
            return continueDepartures()
        }
        let suspension = Suspension(of: process, cgroup: try cgroup(suspending: process))
        // A cgroup is frozen and thawed together with the cgroups below it, so a single suspension must decide for all.
        if let other = suspensions.first(where: { $0.overlaps(suspension.cgroup) }) {
            throw .cannotSuspend("the cgroup \(other.cgroup), above or below its own, is suspended or about to be")
        }
        findProcesses(of: suspension)
        if let obstacle = obstacle(to: suspension) ?? obstacle(to: suspension, by: connection) { throw obstacle }
        suspension.departure = Departure(at: loop.bootClock)
        add(connection, to: suspension)
        suspensions.append(suspension)
        continueDepartures()
    }

    /// Lets a caller wait for a suspension; a `oneway` call is over, and the calls after it follow.
    private func add(_ caller: Connection, to suspension: Suspension) {
        guard !caller.session.isOneway else { return access.reply(EmptyReply(), on: caller) }
        suspension.callers.append(caller)
    }

    /// Returns the suspension of the program behind a subscription, even before the program is frozen.
    func suspension(of target: Connection) -> Suspension? {
        guard let process = target.process else { return nil }
        return suspensions.first { suspension in suspension.processes.contains { $0 === process } }
    }

    private func cgroup(suspending process: SubscriberProcess) throws(CallError) -> String {
        try Result { () throws(CannotFreeze) in
            try programs.cgroup(suspending: process.process, subscribers: Set(processes.keys))
        }.mapError { CallError.cannotSuspend($0.reason) }.get()
    }

    private func findProcesses(of suspension: Suspension) {
        suspension.processes = processes.values.filter { suspension.contains($0.process) }
            .sorted { $0.process.pid < $1.process.pid }
    }

    /// Returns why a program may not be frozen now: another subscription in its cgroup is in the foreground.
    private func obstacle(to suspension: Suspension) -> CallError? {
        suspension.members.first { !access.isInBackground($0) }.map {
            .cannotSuspend(
                "process \($0.peer.pid) in the same cgroup, \(suspension.cgroup), has a subscription in the foreground")
        }
    }

    /// Returns why a caller may not freeze a program: the caller would be frozen too, and could not wake the program.
    private func obstacle(to suspension: Suspension, by caller: Connection) -> CallError? {
        guard !suspension.members.contains(where: { $0.peer.pid == caller.peer.pid }),
            let process = try? programs.process(behind: caller.stream), suspension.contains(process)
        else { return nil }
        return .cannotSuspend("process \(caller.peer.pid), the caller, is in the same cgroup, \(suspension.cgroup)")
    }

    func maySuspend(_ connection: Connection) -> CapabilityAnswer {
        guard let process = try? programs.process(behind: connection.stream) else {
            return .no("process \(connection.peer.pid) cannot be followed")
        }
        do throws(CannotFreeze) {
            _ = try programs.cgroup(
                suspending: process, subscribers: Set(processes.keys).union([connection.peer.pid]))
            return .yes
        } catch {
            return .no(error.reason)
        }
    }

    // MARK: - On the way

    /// Takes the next step of a suspension; the arrivals have subscribed since the last step.
    func advance(_ suspension: Suspension, with arrivals: [SubscriberProcess]) {
        expire(suspension)
        suspension.processes.removeAll { $0.connections.isEmpty }
        takeIn(arrivals, into: suspension)
        guard !suspension.processes.isEmpty else {
            // Nobody can wake it, and other processes in the cgroup would stay frozen.
            if suspension.departure != nil || suspension.freeze.wantsFrozen {
                takeBack(suspension, because: .cannotSuspend("the subscription has ended"))
            }
            return
        }
        while var departure = suspension.departure {
            if let obstacle = obstacle(to: suspension) { return takeBack(suspension, because: obstacle) }
            let step = next(&departure, of: suspension.members)
            suspension.departure = departure
            switch step {
            case nil: return
            case .announce: setPhase(.suspended, of: suspension.processes)
            case .carryOut: freeze(suspension)
            }
        }
    }

    /// Adds processes that have subscribed meanwhile, even if the cgroup is just being frozen.
    private func takeIn(_ arrivals: [SubscriberProcess], into suspension: Suspension) {
        for process in arrivals where !process.connections.isEmpty && suspension.contains(process.process) {
            if !suspension.processes.contains(where: { $0 === process }) { suspension.processes.append(process) }
        }
        guard suspension.departure == nil, !suspension.freeze.isSettled || suspension.freeze.isFrozen else { return }
        for connection in suspension.members {
            if let id = connection.subscription, bus.holds(of: id)?.contains(.frozen) == false {
                access.hold(.frozen, on: connection)
            }
        }
        guard suspension.freeze.wantsFrozen, let obstacle = obstacle(to: suspension) else { return }
        takeBack(suspension, because: obstacle)
    }

    private func freeze(_ suspension: Suspension) {
        suspension.departure = nil
        do throws(CallError) {
            // Processes may have moved or subscribed meanwhile.
            findProcesses(of: suspension)
            // The process that was to be suspended may have ended while others remain.
            let origin = suspension.processes.first { $0 === suspension.origin } ?? suspension.processes.first
            guard let origin, try cgroup(suspending: origin) == suspension.cgroup else {
                throw .cannotSuspend("process \(suspension.origin.process.pid) has moved to another cgroup")
            }
            if let obstacle = obstacle(to: suspension) { throw obstacle }
            try record(suspension.cgroup)
        } catch {
            return takeBack(suspension, because: error)
        }
        setPhase(.suspended, of: suspension.processes)
        // From now on nothing is sent, even before the kernel reports that the processes are frozen.
        for connection in suspension.members { access.hold(.frozen, on: connection) }
        if let request = suspension.freeze.want(frozen: true, at: loop.bootClock) { make(request, of: suspension) }
        // A program that could not be thawed before is frozen already.
        if suspension.freeze.isSettled { answer(suspension, nil) }
    }

    private func record(_ cgroup: String) throws(CallError) {
        try Result { () throws(SystemError) in try frozen.insert(cgroup) }
            .mapError { CallError.cannotSuspend("it cannot be recorded that the program is frozen: \($0)") }.get()
    }

    // MARK: - Back

    /// Thaws a program if it is frozen, and wakes its subscriptions.
    func takeBack(
        _ suspension: Suspension, because error: CallError, then completion: @escaping () -> Void = {}
    ) {
        suspension.departure = nil
        answer(suspension, error)
        suspension.wakes.append(completion)
        if let request = suspension.freeze.want(frozen: false, at: loop.bootClock) { make(request, of: suspension) }
        if suspension.freeze.isSettled { endThaw(of: suspension) }
    }

    func endThaw(of suspension: Suspension) {
        if suspension.departure == nil { suspensions.removeAll { $0 === suspension } }
        forget(suspension.cgroup)
        setPhase(.usual, of: suspension.processes, from: .suspended)
        let barrier = Barrier { [weak self] in self?.finishWakes(of: suspension) }
        for connection in suspension.members { access.wake(connection, from: .frozen, then: barrier.enter()) }
        barrier.leave()
    }

    func finishWakes(of suspension: Suspension) {
        let wakes = suspension.wakes
        suspension.wakes = []
        for wake in wakes { wake() }
        continueDepartures()
    }

    /// Notes that a process runs again, perhaps since somebody else thawed its cgroup.
    func noteThaw(of process: SubscriberProcess) {
        for suspension in suspensions where suspension.freeze.isFrozen && suspension.freeze.isSettled {
            guard suspension.processes.contains(where: { $0 === process }) else { continue }
            takeBack(suspension, because: .cannotSuspend("it was thawed"))
        }
    }

    func answer(_ suspension: Suspension, _ error: CallError?) {
        let callers = suspension.callers
        suspension.callers = []
        for caller in callers {
            access.resume(caller) {
                if let error { access.fail(error, on: caller) } else { access.reply(EmptyReply(), on: caller) }
            }
        }
    }
}
