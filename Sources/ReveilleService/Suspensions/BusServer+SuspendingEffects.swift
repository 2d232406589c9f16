// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire

extension BusServer {
    /// Advances the programs to their next steps.
    func advanceSuspending(to now: UInt64) {
        processes.freezes.lookAtFrozen(at: now)
        for process in features.suspending.departing { processes[process]?.members.forEach(releaseIfRead) }
        let known = features.suspending.concerned.compactMap { processes[$0] }.map { process in
            (process.key, facts(of: process, withCgroup: features.suspending.arrivals.contains(process.key)))
        }
        features.suspending.advance(with: Dictionary(uniqueKeysWithValues: known), at: now)
        performSuspending()
    }

    /// Carries out the effects of inputs, including further effects that arise meanwhile.
    func performSuspending() {
        while let effect = features.suspending.nextEffect() { perform(effect) }
        if features.suspending.isDue { turn.featuresAreDue = true }
    }

    private func perform(_ effect: Suspending.Effect) {
        switch effect {
        case .hold(let reason, let number): connections[number].map { hold(reason, on: $0) }
        case .sample(let wake, let reason, let number): sample(wake, reason, number)
        case .release(let reason, let number, let phase):
            connections[number].map { release(reason, on: $0, into: phase) }
        case .expire(let reason, let number): connections[number].map { expire(reason, of: $0) }
        case .setPhase(let phase, let key, let former): setPhase(phase, of: key, from: former)
        case .awaitReading(let number): connections[number]?.awaitReading()
        case .examine(let key, let caller): examine(key, for: caller)
        case .freeze(let cgroup, let request): freeze(cgroup, request)
        case .thaw(let cgroup, let request): facilities.programs.thaw(cgroup, then: answer(cgroup, request))
        case .forget(let cgroup): forget(cgroup)
        case .terminate(let key): processes[key].map { terminate($0.process) }
        case .reply(let number): connections[number].map { reply(EmptyReply(), on: $0) }
        case .answer(let number, let refusal):
            connections[number].map {
                answerAfterDeliveries(refusal.map { .failure(.cannotSuspend($0)) } ?? .done, on: $0)
            }
        case .log(let level, let text): logger.log(level: level, "\(text)")
        }
    }

    // MARK: - Subscriptions

    private func sample(_ wake: UInt64, _ reason: HoldReasons, _ number: UInt64) {
        let target = connections[number]
        let holds = target?.subscription.flatMap { bus.holds(of: $0) } ?? []
        guard let target, holds.contains(reason), holds.subtracting(reason).isDisjoint(with: .background) else {
            return features.suspending.sampled(wake, number, isHeld: holds.contains(reason), at: loop.bootClock)
        }
        let end = weakly(self) { server in
            let holds = target.subscription.flatMap { server.bus.holds(of: $0) } ?? []
            server.features.suspending.sampled(
                wake, number, isHeld: holds.contains(reason), at: server.loop.bootClock)
            server.performSuspending()
        }
        if !watchers.freshen(target.aspects, isStaying: true, then: end) { end() }
    }

    private func setPhase(_ phase: LifecyclePhase, of key: ProcessKey, from former: Lifecycle?) {
        for connection in processes[key]?.members ?? [] {
            guard let id = connection.subscription, former == nil || bus.lifecycle(of: id) == former else { continue }
            if bus.setPhase(phase, of: id, at: now) { changed(id) }
        }
    }

    // MARK: - Processes

    private func facts(of process: SubscriberProcess, withCgroup: Bool = false) -> ProgramFacts {
        ProgramFacts(
            process: process.key, id: process.process.pid, cgroup: withCgroup ? process.process.cgroup : nil,
            hasTasks: isBusy(process),
            members: process.members.map { connection in
                let id = connection.subscription
                return ProgramFacts.Member(
                    connection: connection.number, isInBackground: isInBackground(connection),
                    isFrozen: id.flatMap { bus.holds(of: $0) }?.contains(.frozen) == true,
                    hasRead: id.map { bus.hasReadLifecycle($0) } ?? true)
            })
    }

    /// Finds the cgroup of a program, and the subscribers in it.
    private func examine(_ key: ProcessKey, for caller: Suspending.Caller?) {
        guard let process = processes[key]?.process else {
            return features.suspending.examined(key, caller, refusal: "the subscription has ended", at: loop.bootClock)
        }
        do throws(CannotFreeze) {
            let suspension = Suspension(
                cgroup: try facilities.programs.cgroup(suspending: process, subscribers: processes.ids))
            let inside = processes.all.filter { suspension.contains($0.process.cgroup) }
                .sorted { $0.process.pid < $1.process.pid }
            features.suspending.examined(
                key, caller, cgroup: suspension.cgroup, inside.map { facts(of: $0) }, at: loop.bootClock)
        } catch {
            features.suspending.examined(key, caller, refusal: error.reason, at: loop.bootClock)
        }
    }

    private func terminate(_ process: any FollowedProcess) {
        do throws(SystemError) {
            try process.terminate()
            logger.info("sent SIGTERM to process \(process.pid), whose policy is to end in the background")
        } catch {
            logger.info("process \(process.pid) could not be ended in the background: \(error)")
        }
    }

    // MARK: - Cgroups

    /// Freezes a cgroup once it is recorded, so that the next bus thaws it if this one is killed.
    private func freeze(_ cgroup: String, _ request: Int) {
        do throws(SystemError) {
            try processes.record.insert(cgroup)
            facilities.programs.freeze(cgroup, then: answer(cgroup, request))
        } catch {
            features.suspending.answered(
                cgroup, request, failure: "it cannot be recorded: \(error)", at: loop.bootClock)
        }
    }

    private func answer(_ cgroup: String, _ request: Int) -> (CannotFreeze?) -> Void {
        weakly(self) { server, failure in
            server.features.suspending.answered(
                cgroup, request, failure: failure?.reason, at: server.loop.bootClock)
            server.performSuspending()
        }
    }

    func forget(_ cgroup: String) {
        do throws(SystemError) {
            try processes.record.remove(cgroup)
        } catch {
            logger.warning("the record of a program that was frozen cannot be removed: \(error)")
        }
    }
}
