// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

// The holds of callers, and the processes behind subscriptions: `Suspending` gets them as inputs.

extension BusServer {
    /// Thaws everything, since nobody could wake it after the end of the bus.
    func thawBeforeEnd() {
        guard !processes.record.cgroups.isEmpty else { return }
        let left = Set(facilities.programs.thawBeforeEnd(processes.record.cgroups))
        for cgroup in processes.record.cgroups where !left.contains(cgroup) { forget(cgroup) }
        for cgroup in left.sorted() { logger.error("\(cgroup) could not be thawed; the next bus will try it again") }
    }

    // MARK: - Holds

    func subject(_ target: Connection, _ reason: HoldReasons) -> Suspending.Subject {
        Suspending.Subject(
            connection: target.number, process: target.process?.key, id: target.peer.pid, reason: reason)
    }

    func wake(
        _ subject: Suspending.Subject, _ id: SubscriptionID, into phase: LifecyclePhase, for caller: UInt64?
    ) {
        let others = bus.holds(of: id)?.subtracting(subject.reason) ?? []
        features.suspending.wake(subject, into: phase, others: others, for: caller)
        performSuspending()
    }

    func expire(_ reason: HoldReasons, of target: Connection) {
        if let id = target.subscription { wake(subject(target, reason), id, into: .usual, for: nil) }
    }

    func noteFrozen(_ isFrozen: Bool, _ process: ProcessKey?, _ connections: [Connection]) {
        turn.timesHaveChanged = true
        features.suspending.noteFrozen(isFrozen, process, connections.map(\.number), at: loop.bootClock)
        performSuspending()
    }

    func maySuspend(_ connection: Connection) -> CapabilityAnswer {
        guard let process = try? facilities.programs.process(behind: connection.stream) else {
            return .no("process \(connection.peer.pid) cannot be followed")
        }
        do throws(CannotFreeze) {
            _ = try facilities.programs.cgroup(
                suspending: process, subscribers: processes.ids.union([connection.peer.pid]))
            return .yes
        } catch {
            return .no(error.reason)
        }
    }

    // MARK: - Subscriptions

    /// Follows the process behind a subscription, which ends with the process and is held while the process is frozen.
    func followProcess(of connection: Connection) {
        guard let id = connection.subscription else { return }
        do throws(SystemError) {
            let process = try process(behind: connection)
            process.connections[connection.number] = connection
            connection.process = process
            features.suspending.join(
                connection.number, process.key, endsInBackground: bus.endsInBackground(id), isFrozen: process.isFrozen)
            performSuspending()
        } catch {
            logger.debug("a subscription ends only with its connection: \(error)")
        }
    }

    private func process(behind connection: Connection) throws(SystemError) -> SubscriberProcess {
        let peer = try facilities.programs.process(behind: connection.stream)
        if let known = processes.process(of: peer) { return known }
        let process = try processes.add(
            peer, on: loop,
            ended: weakly(self) { server, process in
                for connection in process.members { server.close(connection) }
            })
        processes.freezes.begin(process)
        return process
    }

    /// Stops following the process behind a subscription that ends, unless it has others.
    func leaveProcess(of connection: Connection) {
        let process = connection.process
        connection.process = nil
        process?.connections[connection.number] = nil
        let isLast = process?.connections.isEmpty == true
        features.suspending.leave(connection.number, process?.key, isLast: isLast)
        performSuspending()
        guard let process, isLast else { return }
        processes.freezes.end(process)
        processes.remove(process)
    }
}
