// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// A cgroup that this process creates for itself, where there is no service manager.
///
/// It is below the cgroup of the process, and has the name of a scope. Another process removes it when it is empty.
package enum OwnCgroup {
    /// Creates a cgroup with a name, and moves this process into it.
    ///
    /// - Throws: `SystemError`; `EACCES` if the user may not create cgroups here, `ENOENT` without cgroup v2.
    package static func enter(_ name: UnitName) throws(SystemError) {
        guard let path = CgroupHierarchy.ownPath, let parent = CgroupHierarchy.find()?.directory(of: path) else {
            throw SystemError("mkdir", on: "cgroup v2", code: ENOENT)
        }
        let directory = parent + "/" + name.text
        guard mkdir(directory, 0o755) == 0 else { throw SystemError("mkdir", on: directory) }
        do throws(SystemError) {
            guard c_reveille_remove_cgroup_when_empty(directory) == 0 else {
                throw SystemError("start a process for the end of", on: directory)
            }
            try enter(directory)
        } catch {
            rmdir(directory)
            throw error
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
}
