// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// A process with subscriptions, which share its descriptor and the reads of its cgroup.
final class SubscriberProcess {
    let key: ProcessKey
    let process: any FollowedProcess
    /// The connections of its subscriptions, by number; never empty while it is followed.
    var connections: [UInt64: Connection] = [:]
    /// Ends the subscriptions together with the process, since a child may have inherited the socket.
    var end: (any LoopSource)?
    var cgroup: FreezeWatch.Cgroup?
    var isFrozen = false
    /// The time after which the cgroup must be read again before a delivery, in microseconds since boot.
    var nextLook: UInt64 = 0

    fileprivate init(_ process: any FollowedProcess, key: ProcessKey) {
        self.process = process
        self.key = key
    }

    var members: [Connection] { connections.values.sorted { $0.number < $1.number } }
}

/// The processes of all subscriptions that can be followed, and their cgroups.
struct ProcessTable {
    let freezes: FreezeWatch
    /// The cgroups that are frozen, or about to be.
    let record: FrozenRecord
    private var processes: [ProcessKey: SubscriberProcess] = [:]
    /// The last process with each ID; all processes of other PID namespaces have the ID 0.
    private var lastWithID: [Int32: SubscriberProcess] = [:]
    private var lastNumber: UInt64 = 0

    init(freezes: FreezeWatch, record: FrozenRecord) {
        self.freezes = freezes
        self.record = record
    }

    var all: some Collection<SubscriberProcess> { processes.values }

    var ids: Set<Int32> { Set(lastWithID.keys) }

    subscript(key: ProcessKey) -> SubscriberProcess? { processes[key] }

    /// Returns the followed process of a peer; while neither has ended, equal IDs mean that both are one process.
    func process(of peer: any FollowedProcess) -> SubscriberProcess? {
        guard let known = lastWithID[peer.pid], peer.pid > 0, !peer.hasEnded, !known.process.hasEnded else {
            return nil
        }
        return known
    }

    /// Follows a process until it ends.
    mutating func add(
        _ peer: any FollowedProcess, on loop: any Loop, ended: @escaping (SubscriberProcess) -> Void
    ) throws(SystemError) -> SubscriberProcess {
        lastNumber += 1
        let process = SubscriberProcess(peer, key: .followed(lastNumber))
        process.end = try loop.watch(peer.number, for: .readable) { [unowned process] _ in ended(process) }
        processes[process.key] = process
        lastWithID[peer.pid] = process
        return process
    }

    mutating func remove(_ process: SubscriberProcess) {
        process.end?.cancel()
        processes[process.key] = nil
        if lastWithID[process.process.pid] === process { lastWithID[process.process.pid] = nil }
    }
}

extension Connection {
    /// The process behind the connection, as far as it can be distinguished from others.
    var processKey: ProcessKey {
        if let process { return process.key }
        return peer.pid > 0 ? .visible(pid: peer.pid, user: peer.uid) : .hidden(connection: number)
    }
}
