// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
import ReveilleSystem

/// Detects subscribers whose processes are frozen by their cgroup.
///
/// A cgroup reports its freezing and thawing, and processes of one cgroup share the watch. The kernel does not report
/// that a process was moved to another cgroup. Therefore the cgroup of a process is read again after each report,
/// before a delivery, for ListSubscriptions, and every ``interval`` while it is frozen: after a move to a running
/// cgroup, it would otherwise wait forever.
///
/// Where detection is unavailable, frozen subscribers are only held as unread.
final class FreezeWatch {
    /// The longest time that a process may count as a member of its previous cgroup.
    static let interval: Duration = .seconds(1)

    private final class Cgroup {
        let path: String
        let freezer: CgroupFreezer
        var members: Set<ObjectIdentifier> = []

        init(path: String, freezer: CgroupFreezer) {
            self.path = path
            self.freezer = freezer
        }
    }

    private final class Member {
        let connection: Connection
        let process: PeerProcess
        var cgroup: Cgroup?
        var isFrozen = false
        var lookedAt: UInt64 = 0

        init(_ connection: Connection, _ process: PeerProcess) {
            self.connection = connection
            self.process = process
        }
    }

    private let loop: any Loop
    private let logger: Logger
    private let hierarchy: CgroupHierarchy?
    /// Called when a subscriber has been frozen or thawed.
    var changed: (Connection, _ isFrozen: Bool) -> Void = { _, _ in }
    private var members: [ObjectIdentifier: Member] = [:]
    private var cgroups: [String: Cgroup] = [:]
    private var frozen: Set<ObjectIdentifier> = []
    private var timer: (any LoopSource)?
    private var hasFailed = false

    init(loop: any Loop, logger: Logger) throws(SystemError) {
        self.loop = loop
        self.logger = logger
        hierarchy = CgroupHierarchy.find()
        timer = try loop.timer { [weak self] in self?.lookAtFrozen() }
        if hierarchy == nil { fail("no cgroup v2 is mounted") }
    }

    /// Watches the process of a subscriber.
    func begin(_ connection: Connection, _ process: PeerProcess) {
        guard hierarchy != nil else { return }
        let member = Member(connection, process)
        members[ObjectIdentifier(connection)] = member
        look(at: member)
        if process.cgroup == nil { fail("the cgroup of process \(connection.peer.pid) is unknown") }
    }

    /// Stops watching the process of a subscriber.
    func end(_ connection: Connection) {
        guard let member = members.removeValue(forKey: ObjectIdentifier(connection)) else { return }
        frozen.remove(ObjectIdentifier(connection))
        leave(member)
    }

    /// Reads the cgroup of a subscriber's process, unless it was read within ``interval``.
    func look(at connection: Connection) {
        guard let member = members[ObjectIdentifier(connection)] else { return }
        let age = loop.bootClock - member.lookedAt
        if age >= EventLoop.microseconds(Self.interval) { look(at: member) }
    }

    private func lookAtFrozen() {
        look(at: Array(frozen))
        if !frozen.isEmpty { timer?.fire(after: Self.interval) }
    }

    private func look(at connections: [ObjectIdentifier]) {
        // A change of one may end others.
        for connection in connections { members[connection].map(look) }
    }

    private func look(at member: Member) {
        member.lookedAt = loop.bootClock
        let path = member.process.cgroup
        var isFrozen = path == member.cgroup?.path ? member.cgroup?.freezer.isFrozen : nil
        if isFrozen == nil {
            leave(member)
            isFrozen = path.flatMap { join(member, $0) }
        }
        note(member, isFrozen: isFrozen ?? false)
    }

    private func note(_ member: Member, isFrozen: Bool) {
        guard isFrozen != member.isFrozen else { return }
        member.isFrozen = isFrozen
        if isFrozen {
            if frozen.isEmpty { timer?.fire(after: Self.interval) }
            frozen.insert(ObjectIdentifier(member.connection))
        } else {
            frozen.remove(ObjectIdentifier(member.connection))
        }
        changed(member.connection, isFrozen)
    }

    // MARK: - Cgroups

    /// Adds a process to its cgroup, and returns whether that is frozen; `nil` if this is unknown.
    private func join(_ member: Member, _ path: String) -> Bool? {
        // The cgroup may have been removed, and another one of the same name created.
        var cgroup = cgroups[path]
        var isFrozen = cgroup?.freezer.isFrozen
        if isFrozen == nil {
            cgroup = open(path)
            cgroups[path] = cgroup
            isFrozen = cgroup?.freezer.isFrozen
        }
        cgroup?.members.insert(ObjectIdentifier(member.connection))
        member.cgroup = cgroup
        return isFrozen
    }

    private func leave(_ member: Member) {
        guard let cgroup = member.cgroup else { return }
        member.cgroup = nil
        cgroup.members.remove(ObjectIdentifier(member.connection))
        if cgroup.members.isEmpty, cgroups[cgroup.path] === cgroup { cgroups[cgroup.path] = nil }
    }

    private func open(_ path: String) -> Cgroup? {
        guard let directory = hierarchy?.directory(of: path) else { return nil }
        do throws(SystemError) {
            let freezer = try CgroupFreezer(directory: directory, loop: loop) { [weak self] in
                guard let self, let cgroup = cgroups[path] else { return }
                look(at: Array(cgroup.members))
            }
            return Cgroup(path: path, freezer: freezer)
        } catch {
            // The root cgroup has no such file, and a removed cgroup no longer has one.
            if !error.isAbsence { fail("\(error)") }
            return nil
        }
    }

    /// Logs the first failure, since most processes would have the same.
    private func fail(_ reason: String) {
        guard !hasFailed else { return }
        hasFailed = true
        logger.info("frozen subscribers cannot be distinguished from slow ones: \(reason)")
    }
}
