// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// A cgroup that this process creates for itself, where there is no service manager.
///
/// It is below the cgroup of the process, and has the name of a scope. The process cannot remove it after its own end.
/// Therefore the next process that creates one removes those without processes.
package enum OwnCgroup {
    /// The number of attempts; another process may remove the cgroup before this one has entered it.
    private static let attempts = 3

    /// Creates a cgroup with a name, and moves this process into it.
    ///
    /// - Throws: `SystemError`; `EACCES` if the user may not create cgroups here, `ENOENT` without cgroup v2.
    package static func enter(_ name: UnitName) throws(SystemError) {
        guard let path = CgroupHierarchy.ownPath, let parent = CgroupHierarchy.find()?.directory(of: path) else {
            throw SystemError("mkdir", on: "cgroup v2", code: ENOENT)
        }
        removeEmpty(in: parent)
        let directory = parent + "/" + name.text
        for attempt in 1...attempts {
            guard mkdir(directory, 0o755) == 0 || errno == EEXIST else { throw SystemError("mkdir", on: directory) }
            do throws(SystemError) {
                return try enter(directory)
            } catch {
                if error.isAbsence || error.code == ENODEV, attempt < attempts { continue }
                rmdir(directory)
                throw error
            }
        }
    }

    private static func enter(_ directory: String) throws(SystemError) {
        let file = directory + "/cgroup.procs"
        let descriptor = try OwnedDescriptor(opening: file, O_WRONLY | O_NOCTTY)
        // 0 is the process that writes.
        var byte = UInt8(ascii: "0")
        guard retryingOnInterrupt({ write(descriptor.number, &byte, 1) }) == 1 else {
            throw SystemError("write", on: file)
        }
    }

    private static func removeEmpty(in parent: String) {
        // The kernel refuses to remove a cgroup with processes.
        for name in CgroupHierarchy.children(of: parent) where UnitName(name).isMadeHere { rmdir(parent + "/" + name) }
    }
}
