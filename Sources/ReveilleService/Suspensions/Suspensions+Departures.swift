// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem

extension Suspensions {
    /// Continues with what waits for the end of tasks, for subscribers to read, or for an answer of the system.
    ///
    /// It happens at the end of a turn, so this may be called from anywhere.
    func continueDepartures() {
        if hasDepartures { access.partsAreDue() }
    }

    private var hasDepartures: Bool { !suspensions.isEmpty || !endings.isEmpty }

    var next: UInt64? {
        guard hasDepartures else { return nil }
        let deadlines =
            endings.compactMap { $0.departure?.deadline }
            + suspensions.flatMap { [$0.departure?.deadline, $0.freeze.deadline] }.compactMap(\.self)
        return deadlines.min()
    }

    func advance(to now: UInt64) {
        let arrived = arrivals
        arrivals = []
        for suspension in suspensions { advance(suspension, with: arrived) }
        for process in endings { advance(process) }
        access.waits(!endings.isEmpty || suspensions.contains { $0.departure != nil }, self)
    }

    /// Returns the next step of some subscribers, and waits for subscribers that have not read.
    func next(_ departure: inout Departure, of members: [Connection]) -> Departure.Step? {
        for connection in members { access.releaseIfRead(connection) }
        let unread = members.filter { !hasRead($0) }
        let step = departure.next(
            at: loop.bootClock, hasTasks: members.contains { $0.process.map(access.isBusy) == true },
            isRead: unread.isEmpty)
        if step == nil { for connection in unread { connection.awaitReading() } }
        return step
    }

    func endsInBackground(_ connection: Connection) -> Bool {
        connection.subscription.map { bus.endsInBackground($0) } ?? false
    }

    private func hasRead(_ connection: Connection) -> Bool {
        connection.subscription.map { bus.hasReadLifecycle($0) } ?? true
    }

    /// Sets the phase of the subscriptions, or of those that are still in a former one.
    func setPhase(_ phase: LifecyclePhase, of processes: [SubscriberProcess], from former: Lifecycle? = nil) {
        for connection in processes.flatMap(\.connections.values) {
            guard let id = connection.subscription, former == nil || bus.lifecycle(of: id) == former else { continue }
            if bus.setPhase(phase, of: id, at: now) { access.changed(id) }
        }
    }

    // MARK: - End

    /// Begins the declared end of a program that is in the background, as it is once all its subscriptions are.
    func beginEnd(of target: Connection) {
        guard let process = target.process else {
            guard endsInBackground(target) else { return }
            return access.note(
                "process \(target.peer.pid) is not ended, since it cannot be followed", of: target.peer.uid,
                level: .warning)
        }
        // A process may have thousands of subscriptions that each go to the background and return. All are checked only
        // if an end is declared.
        guard !process.ending.isEmpty, process.departure == nil,
            process.connections.values.allSatisfy(access.isInBackground)
        else { return }
        process.departure = Departure(at: loop.bootClock)
        endings.append(process)
        continueDepartures()
    }

    /// Notifies the subscriptions of a program that it does not end after all.
    func endTermination(of process: SubscriberProcess) {
        guard process.isTerminating else { return }
        process.isTerminating = false
        setPhase(.usual, of: [process], from: .terminating)
    }

    /// Takes back the end of a program that has not received SIGTERM yet.
    func cancelEnd(of process: SubscriberProcess) {
        process.departure = nil
        endings.removeAll { $0 === process }
    }

    private func advance(_ process: SubscriberProcess) {
        while var departure = process.departure, !process.connections.isEmpty {
            let members = process.connections.values.sorted { $0.number < $1.number }
            guard members.allSatisfy(access.isInBackground) else {
                cancelEnd(of: process)
                return endTermination(of: process)
            }
            let step = next(&departure, of: members)
            process.departure = departure
            switch step {
            case nil: return
            case .announce:
                process.isTerminating = true
                setPhase(.terminating, of: [process])
            case .carryOut:
                terminate(process)
                cancelEnd(of: process)
            }
        }
        if process.connections.isEmpty { cancelEnd(of: process) }
    }

    private func terminate(_ process: SubscriberProcess) {
        do throws(SystemError) {
            try process.process.terminate()
            logger.info("sent SIGTERM to process \(process.process.pid), whose policy is to end in the background")
        } catch {
            logger.info("process \(process.process.pid) could not be ended in the background: \(error)")
        }
    }
}
