// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// Gives ``Suspending`` the calls, the subscriptions and the answers of the system, and carries out its effects.
final class Suspensions: BusPart {
    let access: BusAccess
    let programs: any Programs
    let freezes: FreezeWatch
    var frozen: FrozenRecord
    var processes = ProcessTable()
    var suspending: Suspending

    init(
        _ access: BusAccess, loop: any Loop, programs: any Programs, record: FrozenRecord, _ logger: Logger
    ) throws(SystemError) {
        self.access = access
        self.programs = programs
        frozen = record
        suspending = Suspending(formerCgroups: record.cgroups)
        freezes = try FreezeWatch(loop: loop, logger: logger)
        freezes.changed = { [weak self] process in
            self?.noteFrozen(process.isFrozen, process.key, process.members)
        }
    }

    func thawFormerPrograms() { access.partsAreDue() }

    /// Thaws everything, since nobody could wake it after the end of the bus.
    func stop() {
        guard !frozen.cgroups.isEmpty else { return }
        let left = Set(programs.thawBeforeEnd(frozen.cgroups))
        for cgroup in frozen.cgroups where !left.contains(cgroup) { forget(cgroup) }
        for cgroup in left.sorted() { logger.error("\(cgroup) could not be thawed; the next bus will try it again") }
    }

    // MARK: - Calls

    func setState(
        _ name: String, to state: RequestedState, wakeAfter: Duration?, on connection: Connection
    ) throws(CallError) {
        let (id, target) = try access.subscription(name, for: connection)
        // All processes of other PID namespaces have the id 0, and cannot be distinguished.
        let isOwn = connection.peer.pid == target.peer.pid && connection.peer.pid != 0
        let subject = subject(target, isOwn ? .app : .operator)
        guard state.isHeld else {
            return wake(subject, id, into: state == .inactive ? .inactive : .usual, for: connection.number)
        }
        let isInBackground = bus.isSentToBackground(id)
        if target.process == nil, !isInBackground, bus.endsInBackground(id) {
            access.note(
                "process \(target.peer.pid) is not ended, since it cannot be followed", of: target.peer.uid,
                level: .warning)
        }
        let time = wakeAfter.map { EventLoop.moment(in: EventLoop.microseconds($0), from: loop.bootClock) }
        if time != nil { access.timesChanged() }
        suspending.hold(subject, until: time, wasInBackground: isInBackground)
        if state == .suspended {
            suspending.suspend(subject, for: caller(connection), at: loop.bootClock)
        } else {
            suspending.run(subject, for: connection.number, at: loop.bootClock)
        }
        perform()
    }

    /// Describes the caller of a suspension; a `oneway` call is over, and the calls after it follow.
    private func caller(_ connection: Connection) -> Suspending.Caller {
        let isOneway = connection.session.isOneway
        if isOneway { access.reply(EmptyReply(), on: connection) }
        let process = try? programs.process(behind: connection.stream)
        return Suspending.Caller(
            connection: isOneway ? nil : connection.number, id: connection.peer.pid, cgroup: process?.cgroup)
    }

    private func subject(_ target: Connection, _ reason: HoldReasons) -> Suspending.Subject {
        Suspending.Subject(
            connection: target.number, process: target.process?.key, id: target.peer.pid, reason: reason)
    }

    private func wake(
        _ subject: Suspending.Subject, _ id: SubscriptionID, into phase: LifecyclePhase, for caller: UInt64?
    ) {
        let others = bus.holds(of: id)?.subtracting(subject.reason) ?? []
        suspending.wake(subject, into: phase, others: others, for: caller)
        perform()
    }

    func expire(_ reason: HoldReasons, of target: Connection) {
        if let id = target.subscription { wake(subject(target, reason), id, into: .usual, for: nil) }
    }

    func noteFrozen(_ isFrozen: Bool, _ process: ProcessKey?, _ connections: [Connection]) {
        suspending.noteFrozen(isFrozen, process, connections.map(\.number), at: loop.bootClock)
        perform()
    }

    func maySuspend(_ connection: Connection) -> CapabilityAnswer {
        guard let process = try? programs.process(behind: connection.stream) else {
            return .no("process \(connection.peer.pid) cannot be followed")
        }
        do throws(CannotFreeze) {
            _ = try programs.cgroup(suspending: process, subscribers: processes.ids.union([connection.peer.pid]))
            return .yes
        } catch {
            return .no(error.reason)
        }
    }

    // MARK: - Subscriptions

    /// Follows the process behind a subscription, which ends with the process and is held while it is frozen.
    func subscribed(_ connection: Connection, to aspects: AspectSet) {
        guard let id = connection.subscription else { return }
        do throws(SystemError) {
            let process = try process(behind: connection)
            process.connections[connection.number] = connection
            connection.process = process
            suspending.join(
                connection.number, process.key, endsInBackground: bus.endsInBackground(id), isFrozen: process.isFrozen)
            perform()
        } catch {
            logger.debug("a subscription ends only with its connection: \(error)")
        }
    }

    private func process(behind connection: Connection) throws(SystemError) -> SubscriberProcess {
        let peer = try programs.process(behind: connection.stream)
        if let known = processes.process(of: peer) { return known }
        let process = try processes.add(peer, on: loop) { [access] in
            for connection in $0.members { access.close(connection) }
        }
        freezes.begin(process)
        return process
    }

    /// Stops following the process behind a subscription that ends, unless it has others.
    func closing(_ connection: Connection) {
        let process = connection.process
        connection.process = nil
        process?.connections[connection.number] = nil
        let isLast = process?.connections.isEmpty == true
        suspending.leave(connection.number, process?.key, isLast: isLast)
        perform()
        guard let process, isLast else { return }
        freezes.end(process)
        processes.remove(process)
    }

    // MARK: - Turns

    var next: UInt64? { suspending.next }

    func advance(to now: UInt64) {
        let known = suspending.concerned.compactMap { processes[$0] }.map { process in
            (process.key, facts(of: process, withCgroup: suspending.arrivals.contains(process.key)))
        }
        suspending.advance(with: Dictionary(uniqueKeysWithValues: known), at: now)
        perform()
        access.waits(suspending.hasDepartures, self)
    }

    func awaitsReading(by connection: Connection) -> Bool { connection.subscription != nil }

    func hasRead(_ connection: Connection) { continueDepartures() }

    private func continueDepartures() {
        if suspending.hasDepartures { access.partsAreDue() }
    }
}
