// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleSystem

/// A version 2 cgroup, which is removed with its owner after its processes have been killed.
package final class TemporaryCgroup {
    package let path: String
    private let parent: TemporaryCgroup?
    private var processes: [ChildProcess] = []

    /// Whether a cgroup with a freezer can be created: usually as root, on Linux 5.2 or later.
    package static let canBeMade: Bool = {
        guard let cgroup = try? TemporaryCgroup() else { return false }
        return access(cgroup.path + "/cgroup.freeze", W_OK) == 0
    }()

    /// Creates a cgroup without processes, in the root by default.
    package init(in parent: TemporaryCgroup? = nil) throws(TestbedError) {
        guard let top = parent?.path ?? CgroupHierarchy.find()?.directory else {
            throw TestbedError("cgroup v2 is not mounted")
        }
        path = try TemporaryDirectory.make(top + "/reveille-XXXXXX")
        self.parent = parent
    }

    deinit {
        for process in processes { process.signal(SIGKILL) }
        // A frozen process can be killed as well.
        for process in processes { process.wait() }
        rmdir(path)
    }

    package func add(_ process: ChildProcess) throws(TestbedError) {
        try Self.move(process, to: path)
        processes.append(process)
    }

    package static func move(_ process: ChildProcess, to path: String) throws(TestbedError) {
        try TemporaryDirectory.fill(path + "/cgroup.procs", with: Array("\(process.pid)".utf8))
    }

    /// Starts to freeze or thaw the processes, which the kernel completes asynchronously.
    package func freeze(_ isFrozen: Bool) throws(TestbedError) {
        try TemporaryDirectory.fill(path + "/cgroup.freeze", with: Array((isFrozen ? "1" : "0").utf8))
    }
}
