// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleHost
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

    final class Cgroup {
        let path: String
        let freezer: CgroupFreezer
        fileprivate var members: [ObjectIdentifier: SubscriberProcess] = [:]

        init(path: String, freezer: CgroupFreezer) {
            self.path = path
            self.freezer = freezer
        }
    }

    private let loop: any Loop
    private let logger: Logger
    private let hierarchy: CgroupHierarchy?
    var changed: (SubscriberProcess) -> Void = { _ in }
    private var cgroups: [String: Cgroup] = [:]
    private var frozen: [ObjectIdentifier: SubscriberProcess] = [:]
    /// The time of the next ``lookAtFrozen(at:)``; `nil` while nothing is frozen.
    private(set) var next: UInt64?
    private var hasFailed = false

    init(loop: any Loop, logger: Logger) {
        self.loop = loop
        self.logger = logger
        hierarchy = CgroupHierarchy.find()
        if hierarchy == nil { fail("no cgroup v2 is mounted") }
    }

    func begin(_ process: SubscriberProcess) {
        guard hierarchy != nil else { return }
        read(process)
        if process.process.cgroup == nil { fail("the cgroup of process \(process.process.pid) is unknown") }
    }

    func end(_ process: SubscriberProcess) {
        frozen[ObjectIdentifier(process)] = nil
        leave(process)
    }

    /// Reads the cgroup of a process, unless it was read within ``interval``.
    func look(at process: SubscriberProcess, at now: UInt64) {
        guard now >= process.nextLook, hierarchy != nil else { return }
        read(process)
    }

    func lookAtFrozen(at now: UInt64) {
        guard let next, next <= now else { return }
        // A change of one process may end others.
        for process in frozen.values where !process.connections.isEmpty { read(process) }
        self.next = frozen.isEmpty ? nil : timeOfNextLook
    }

    private var timeOfNextLook: UInt64 {
        EventLoop.moment(in: EventLoop.microseconds(Self.interval), from: loop.bootClock)
    }

    private func read(_ process: SubscriberProcess) {
        process.nextLook = timeOfNextLook
        let path = process.process.cgroup
        var isFrozen = path == process.cgroup?.path ? process.cgroup?.freezer.isFrozen : nil
        if isFrozen == nil {
            leave(process)
            isFrozen = path.flatMap { join(process, $0) }
        }
        note(process, isFrozen: isFrozen ?? false)
    }

    private func note(_ process: SubscriberProcess, isFrozen: Bool) {
        guard isFrozen != process.isFrozen else { return }
        process.isFrozen = isFrozen
        if isFrozen {
            if next == nil { next = timeOfNextLook }
            frozen[ObjectIdentifier(process)] = process
        } else {
            frozen[ObjectIdentifier(process)] = nil
        }
        changed(process)
    }

    // MARK: - Cgroups

    /// Adds a process to its cgroup, and returns whether the cgroup is frozen; `nil` if this is unknown.
    private func join(_ process: SubscriberProcess, _ path: String) -> Bool? {
        // The cgroup may have been removed, and another cgroup created with the same name.
        var cgroup = cgroups[path]
        var isFrozen = cgroup?.freezer.isFrozen
        if isFrozen == nil {
            cgroup = open(path)
            cgroups[path] = cgroup
            isFrozen = cgroup?.freezer.isFrozen
        }
        cgroup?.members[ObjectIdentifier(process)] = process
        process.cgroup = cgroup
        return isFrozen
    }

    private func leave(_ process: SubscriberProcess) {
        guard let cgroup = process.cgroup else { return }
        process.cgroup = nil
        cgroup.members[ObjectIdentifier(process)] = nil
        if cgroup.members.isEmpty, cgroups[cgroup.path] === cgroup { cgroups[cgroup.path] = nil }
    }

    private func open(_ path: String) -> Cgroup? {
        guard let directory = hierarchy?.directory(of: path) else { return nil }
        do throws(SystemError) {
            let freezer = try CgroupFreezer(
                directory: directory, loop: loop,
                changed: weakly(self) { watch in
                    guard let cgroup = watch.cgroups[path] else { return }
                    for process in cgroup.members.values where !process.connections.isEmpty { watch.read(process) }
                })
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
