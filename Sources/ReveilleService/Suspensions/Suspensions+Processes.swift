// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem

extension Suspensions {
    /// Follows the process behind a subscription, which ends with the process and is held while it is frozen.
    ///
    /// Without this, a child that inherited the socket would keep the subscription and its sensors alive, unread.
    func subscribed(_ connection: Connection, to aspects: AspectSet) {
        do throws(SystemError) {
            let process = try process(behind: connection)
            process.connections[ObjectIdentifier(connection)] = connection
            connection.process = process
            if endsInBackground(connection) { process.ending.insert(ObjectIdentifier(connection)) }
            if process.isFrozen { access.hold(.frozen, on: connection) }
            if !suspensions.isEmpty { arrivals.append(process) }
            continueDepartures()
        } catch {
            logger.debug("a subscription ends only with its connection: \(error)")
        }
    }

    private func process(behind connection: Connection) throws(SystemError) -> SubscriberProcess {
        let peer = try programs.process(behind: connection.stream)
        // If neither has ended, both are the only process with the ID.
        if let known = processes[peer.pid], peer.pid > 0, !peer.hasEnded, !known.process.hasEnded { return known }
        let process = SubscriberProcess(peer)
        process.end = try loop.watch(peer.number, for: .readable) { [weak self, unowned process] _ in
            for connection in Array(process.connections.values) { self?.access.close(connection) }
        }
        processes[peer.pid] = process
        freezes.begin(process)
        return process
    }

    /// Stops following the process behind a subscription that ends, unless it has others.
    func leaveProcess(_ connection: Connection) {
        guard let process = connection.process else { return }
        connection.process = nil
        process.connections[ObjectIdentifier(connection)] = nil
        process.ending.remove(ObjectIdentifier(connection))
        continueDepartures()
        guard process.connections.isEmpty else { return }
        freezes.end(process)
        process.end?.cancel()
        if processes[process.process.pid] === process { processes[process.process.pid] = nil }
    }

    func freezeChanged(_ process: SubscriberProcess) {
        if !process.isFrozen { noteThaw(of: process) }
        for connection in Array(process.connections.values) {
            setFrozen(process.isFrozen, connection)
        }
    }

    func setFrozen(_ isFrozen: Bool, _ connection: Connection) {
        if isFrozen {
            access.hold(.frozen, on: connection)
        } else {
            access.wake(connection, from: .frozen) {}
        }
    }
}

/// A process with subscriptions, which share its descriptor and the reads of its cgroup.
final class SubscriberProcess {
    let process: any FollowedProcess
    /// The connections of its subscriptions; never empty while it is followed.
    var connections: [ObjectIdentifier: Connection] = [:]
    var end: (any LoopSource)?
    var cgroup: FreezeWatch.Cgroup?
    var isFrozen = false
    /// The time after which the cgroup must be read again before a delivery, in microseconds since boot.
    var nextLook: UInt64 = 0
    /// The connections whose subscriptions have declared that the process ends in the background.
    var ending: Set<ObjectIdentifier> = []
    /// The departure toward this end, once the process is in the background.
    var departure: Departure?
    var isTerminating = false

    init(_ process: any FollowedProcess) {
        self.process = process
    }
}
