// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// A cgroup that may be frozen to suspend a program: the cgroup of its unit, or a cgroup that contains only
/// subscribers.
struct ProgramCgroup {
    /// The path, as in `/proc/PID/cgroup`.
    let path: String
    /// The unit of the service manager to which the path belongs, if any.
    let unit: UnitName?
    private let directory: String

    /// Finds the cgroup of a path that ``suspending(_:of:own:subscribers:in:)`` returned.
    init(_ path: String, in hierarchy: CgroupHierarchy?) throws(CannotFreeze) {
        guard let directory = hierarchy?.directory(of: path) else {
            throw CannotFreeze("cgroup \(path) is not in a cgroup v2 hierarchy that is mounted here")
        }
        self.path = path
        self.directory = directory
        unit = UnitName.innermost(inCgroup: path).flatMap { $0.path == path ? $0.name : nil }
    }

    /// Returns the cgroup to freeze in order to suspend a process in a given cgroup.
    ///
    /// The bus never freezes its own cgroup, `own`. A cgroup that is not the unit of one program may contain only the
    /// subscribers' processes.
    static func suspending(
        _ path: String, of user: UInt32, own: String, subscribers: Set<Int32>, in hierarchy: CgroupHierarchy?
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
        // A user's manager freezes no more than the kernel allows the user. The system's manager freezes whatever root
        // asks.
        if geteuid() == 0 { try cgroup.checkUsers(are: user) } else { try cgroup.checkPermission() }
        return cgroup
    }

    private func check(_ subscribers: Set<Int32>) throws(CannotFreeze) {
        for process in try processes() where !subscribers.contains(process) {
            throw CannotFreeze(
                """
                cgroup \(path) contains process \(process), which is not a subscriber; start the program with \
                'reveille run' to give it a scope of its own
                """)
        }
    }

    /// Checks that this user may freeze the cgroup; a bus with a system user of its own may not.
    private func checkPermission() throws(CannotFreeze) {
        guard access(freezer, W_OK) == 0 else { throw CannotFreeze("\(SystemError("open", on: freezer))") }
    }

    /// Checks that a user may stop all processes (kill(2)), or root's bus would freeze any service with a process of the user.
    private func checkUsers(are user: UInt32) throws(CannotFreeze) {
        guard user != 0 else { return }
        for other in try processes() where UserDatabase.owner(ofProcess: other) != user {
            throw CannotFreeze("cgroup \(path) contains process \(other), which belongs to another user")
        }
    }

    /// The IDs of the processes in the cgroup and in the cgroups below it; 0 for a process in another PID namespace.
    private func processes() throws(CannotFreeze) -> [Int32] {
        var found: [Int32] = []
        var names = [""]
        for _ in 0..<Self.longestTree {
            guard let name = names.popLast() else { return found }
            let file = directory + "/" + name + "cgroup.procs"
            guard let lines = FileContents.read(file, limit: Self.longestFile).text else {
                throw CannotFreeze("the processes of cgroup \(path) are unknown")
            }
            found += lines.split(separator: "\n").compactMap { Int32($0) }
            names += CgroupHierarchy.children(of: directory + "/" + name).map { name + $0 + "/" }
        }
        throw CannotFreeze("cgroup \(path) contains more than \(Self.longestTree) others")
    }

    /// The number of cgroups that are looked at; a program has a few, and a container hundreds.
    private static let longestTree = 1_000

    /// Room for the IDs of several thousand processes.
    private static let longestFile = 65_536

    // MARK: - The freezer

    private var freezer: String { directory + "/cgroup.freeze" }

    /// Watches the freezer; see ``CgroupFreezer``.
    func watch(loop: any Loop, changed: @escaping () -> Void) throws(CannotFreeze) -> CgroupFreezer {
        try Result { () throws(SystemError) in try CgroupFreezer(directory: directory, loop: loop, changed: changed) }
            .mapError { CannotFreeze($0.isAbsence ? "cgroup \(path) does not exist" : "\($0)") }.get()
    }

    /// Whether freezing has been requested of this cgroup itself, and it still exists; true if that is unknown.
    var isRequested: Bool {
        switch FileContents.read(freezer, limit: Self.longestFile) {
        case .bytes(let bytes): bytes.first == UInt8(ascii: "1")
        case .missing: false
        // Otherwise, nobody might thaw the program.
        case .tooLarge, .notAFile, .unreadable: true
        }
    }

    /// Asks the kernel to freeze or thaw the processes, which takes time.
    func write(isFrozen: Bool) throws(SystemError) {
        try CgroupHierarchy.write(isFrozen ? "1" : "0", to: freezer)
    }
}
