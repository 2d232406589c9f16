// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// A cgroup that may be frozen to suspend a program: that of its unit, or one that contains only subscribers.
struct ProgramCgroup {
    /// The path, as in `/proc/PID/cgroup`.
    let path: String
    /// The unit of the service manager to which the path belongs, if any.
    let unit: UnitName?
    private let directory: String

    /// Finds the cgroup of a path that ``suspending(_:own:subscribers:in:)`` returned.
    ///
    /// - Throws: ``CannotFreeze`` if the hierarchy that is mounted here does not contain it.
    init(_ path: String, in hierarchy: CgroupHierarchy?) throws(CannotFreeze) {
        guard let directory = hierarchy?.directory(of: path) else {
            throw CannotFreeze("cgroup \(path) is not in a cgroup v2 hierarchy that is mounted here")
        }
        self.path = path
        self.directory = directory
        unit = UnitName.innermost(inCgroup: path).flatMap { $0.path == path ? $0.name : nil }
    }

    /// Returns the cgroup that is frozen to suspend a process in a cgroup.
    ///
    /// The bus, whose own cgroup is given, never freezes itself. A cgroup that is not the unit of one program may contain
    /// only the subscribers' processes.
    ///
    /// - Throws: ``CannotFreeze`` if none may be frozen.
    static func suspending(
        _ path: String, own: String, subscribers: Set<Int32>, in hierarchy: CgroupHierarchy?
    ) throws(CannotFreeze) -> ProgramCgroup {
        let innermost = UnitName.innermost(inCgroup: path)
        if let unit = innermost?.name, unit.isOfManager {
            throw CannotFreeze("\(unit.text) runs the service manager")
        }
        let isUnit = innermost?.name.isOfOneProgram ?? false
        let cgroup = try ProgramCgroup(isUnit ? innermost?.path ?? path : path, in: hierarchy)
        guard own != cgroup.path, !own.utf8.starts(with: (cgroup.path == "/" ? "/" : cgroup.path + "/").utf8) else {
            throw CannotFreeze("cgroup \(cgroup.path) contains the bus")
        }
        if !isUnit { try cgroup.check(subscribers) }
        return cgroup
    }

    /// Checks that the cgroup contains no other processes.
    private func check(_ subscribers: Set<Int32>) throws(CannotFreeze) {
        let scope = "start the program with 'reveille run' to give it a scope of its own"
        guard let statistics = read("cgroup.stat"), statistics.hasPrefix("nr_descendants 0\n") else {
            throw CannotFreeze("cgroup \(path) contains other cgroups; \(scope)")
        }
        guard let processes = read("cgroup.procs") else {
            throw CannotFreeze("the processes of cgroup \(path) are unknown")
        }
        for line in processes.split(separator: "\n") {
            guard let process = Int32(line), process > 0, subscribers.contains(process) else {
                throw CannotFreeze("cgroup \(path) contains process \(line), which is not a subscriber; \(scope)")
            }
        }
    }

    private func read(_ file: String) -> String? {
        guard case .bytes(let bytes) = FileContents.read(directory + "/" + file, limit: Self.longestFile) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Room for the IDs of several thousand processes.
    private static let longestFile = 65_536

    // MARK: - The freezer

    /// Watches the freezer; see ``CgroupFreezer``.
    func watch(loop: any Loop, changed: @escaping () -> Void) throws(CannotFreeze) -> CgroupFreezer {
        do throws(SystemError) {
            return try CgroupFreezer(directory: directory, loop: loop, changed: changed)
        } catch {
            throw CannotFreeze(error.isAbsence ? "cgroup \(path) does not exist" : "\(error)")
        }
    }

    /// Whether freezing has been requested of this cgroup itself, and it still exists.
    var isRequested: Bool { read("cgroup.freeze")?.hasPrefix("1") ?? false }

    /// Asks the kernel to freeze or thaw the processes, which takes time.
    func write(isFrozen: Bool) throws(SystemError) {
        let file = directory + "/cgroup.freeze"
        let descriptor = try OwnedDescriptor(opening: file, O_WRONLY | O_NOCTTY)
        var byte = UInt8(ascii: isFrozen ? "1" : "0")
        guard retryingOnInterrupt({ Glibc.write(descriptor.number, &byte, 1) }) == 1 else {
            throw SystemError("write", on: file)
        }
    }
}
