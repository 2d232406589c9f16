// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleSystem

/// The programs of this machine, frozen by the service manager or by the files of their cgroups.
///
/// The service manager freezes and thaws the cgroups of its units, so that it knows their state. Only this needs a
/// connection to the service manager. Loop thread only.
package final class SystemPrograms: Programs {
    /// The time for freezing; a process does not freeze while it waits for a device or a network file system.
    package static let patience: Duration = .seconds(5)

    private let loop: any Loop
    private let manager: ServiceManager
    private var knownHierarchy: CgroupHierarchy?
    private let later: DeferredCalls
    /// The attempts that have not been completed; each cgroup has at most one.
    private var attempts: [String: FreezeAttempt] = [:]

    package init(loop: any Loop, manager: ServiceManager) {
        self.loop = loop
        self.manager = manager
        later = DeferredCalls(loop: loop)
    }

    package func process(behind stream: any ByteStream) throws(SystemError) -> any FollowedProcess {
        try PeerProcess(of: stream)
    }

    package func cgroup(
        suspending process: any FollowedProcess, subscribers: Set<Int32>
    ) throws(CannotFreeze) -> String {
        guard hierarchy != nil else { throw CannotFreeze("no cgroup v2 is mounted") }
        guard let path = process.cgroup else { throw CannotFreeze("the cgroup of process \(process.pid) is unknown") }
        // Read again each time, since the bus may be moved.
        guard let own = CgroupHierarchy.ownPath else { throw CannotFreeze("the bus's own cgroup is unknown") }
        return try ProgramCgroup.suspending(
            path, of: process.user, own: own, subscribers: subscribers, in: hierarchy
        ).path
    }

    /// Returns why the process of a bus, which runs as this process's user, cannot suspend another; `nil` if it can.
    package static func obstacle(
        toSuspending process: Int32, by bus: Int32, subscribers: Set<Int32>
    ) -> CannotFreeze? {
        guard let path = CgroupHierarchy.path(ofProcess: "\(process)"),
            let user = UserDatabase.owner(ofProcess: process), let own = CgroupHierarchy.path(ofProcess: "\(bus)")
        else { return CannotFreeze("process \(process) or the bus is not visible here") }
        do throws(CannotFreeze) {
            _ = try ProgramCgroup.suspending(path, of: user, own: own, subscribers: subscribers, in: .find())
            return nil
        } catch {
            return error
        }
    }

    package func freeze(_ path: String, then completion: @escaping (CannotFreeze?) -> Void) {
        abandon(path, "cgroup \(path) is frozen by a later call")
        do throws(CannotFreeze) {
            let cgroup = try ProgramCgroup(path, in: hierarchy)
            let attempt = try FreezeAttempt(cgroup, loop: loop) { [weak self] attempt, failure in
                if self?.attempts[path] === attempt { self?.attempts[path] = nil }
                completion(failure)
            }
            attempts[path] = attempt
            set(true, cgroup) { [weak self, weak attempt] failure in
                guard let self, let attempt, attempts[path] === attempt else { return }
                attempt.requested(failure)
            }
        } catch {
            later.add { completion(error) }
        }
    }

    package func thaw(_ path: String, then completion: @escaping (CannotFreeze?) -> Void) {
        abandon(path, "cgroup \(path) has been thawed meanwhile")
        do throws(CannotFreeze) {
            set(false, try ProgramCgroup(path, in: hierarchy), then: completion)
        } catch {
            later.add { completion(error) }
        }
    }

    package func thawBeforeEnd(_ paths: [String]) -> [String] {
        guard let hierarchy else { return paths }
        let cgroups = paths.compactMap { path in try? ProgramCgroup(path, in: hierarchy) }
        manager.thawNow(cgroups.compactMap { $0.unit?.text })
        return cgroups.filter { $0.isRequested && Self.write(false, $0) != nil }.map(\.path)
    }

    /// The cgroups; a failed search is repeated.
    private var hierarchy: CgroupHierarchy? {
        if knownHierarchy == nil { knownHierarchy = CgroupHierarchy.find() }
        return knownHierarchy
    }

    // MARK: - Freezing and thawing

    private func abandon(_ path: String, _ reason: String) {
        guard let attempt = attempts.removeValue(forKey: path) else { return }
        later.add { attempt.finish(CannotFreeze(reason)) }
    }

    /// Asks the service manager to freeze or thaw a unit, or the kernel if the cgroup does not belong to the manager.
    private func set(_ isFrozen: Bool, _ cgroup: ProgramCgroup, then completion: @escaping (CannotFreeze?) -> Void) {
        guard let unit = cgroup.unit?.text else {
            return later.add { completion(Self.write(isFrozen, cgroup)) }
        }
        // A unit of the same name may belong to the manager of another user or of the system.
        manager.findUnit(ofCgroup: cgroup.path) { [weak self] found in
            guard let self else { return }
            switch found {
            case .success(unit):
                let request = isFrozen ? manager.freeze : manager.thaw
                request(unit) { [weak self] in self?.complete($0, isFrozen, cgroup, then: completion) }
            case .success, .failure(.absent), .failure(.unknownUnit), .failure(.exists):
                completion(Self.write(isFrozen, cgroup))
            case .failure(.refused):
                complete(found.failure, isFrozen, cgroup, then: completion)
            }
        }
    }

    private func complete(
        _ failure: ServiceManager.Failure?, _ isFrozen: Bool, _ cgroup: ProgramCgroup,
        then completion: (CannotFreeze?) -> Void
    ) {
        guard let failure else { return completion(nil) }
        guard !isFrozen else { return completion(CannotFreeze("\(cgroup.path): \(failure)")) }
        // A thaw tries everything. A program that has ended has no frozen processes.
        completion(Self.write(false, cgroup))
    }

    private static func write(_ isFrozen: Bool, _ cgroup: ProgramCgroup) -> CannotFreeze? {
        do throws(SystemError) {
            try cgroup.write(isFrozen: isFrozen)
            return nil
        } catch {
            // A removed cgroup has no frozen processes, and a forbidden freeze changed nothing.
            return isFrozen || cgroup.isRequested ? CannotFreeze("\(error)") : nil
        }
    }
}
