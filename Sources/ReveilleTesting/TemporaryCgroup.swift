// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// A version 2 cgroup, which is removed with its owner after its processes have been killed.
package final class TemporaryCgroup {
    /// The directory of the cgroup.
    package let path: String
    private let parent: TemporaryCgroup?
    private var processes: [ChildProcess] = []

    /// Whether a cgroup with a freezer can be created: usually as root, on Linux 5.2 or later.
    package static let canBeMade: Bool = {
        guard let cgroup = try? TemporaryCgroup() else { return false }
        return access(cgroup.path + "/cgroup.freeze", W_OK) == 0
    }()

    /// Creates a cgroup without processes.
    ///
    /// - Parameter parent: The parent cgroup; the root by default.
    /// - Throws: `TestbedError` if no version 2 hierarchy is mounted, or without permission.
    package init(in parent: TemporaryCgroup? = nil) throws(TestbedError) {
        guard let top = parent?.path ?? Self.mountPoint else { throw TestbedError("cgroup v2 is not mounted") }
        var template = Array((top + "/reveille-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw TestbedError("mkdtemp \(top): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.parent = parent
    }

    deinit {
        for process in processes { process.signal(SIGKILL) }
        // A frozen process can be killed as well.
        for process in processes { process.wait() }
        rmdir(path)
    }

    /// Moves a process into the cgroup.
    package func add(_ process: ChildProcess) throws(TestbedError) {
        try write("\(process.pid)", to: "cgroup.procs")
        processes.append(process)
    }

    /// Starts to freeze or thaw the processes, which the kernel completes asynchronously.
    package func freeze(_ isFrozen: Bool) throws(TestbedError) {
        try write(isFrozen ? "1" : "0", to: "cgroup.freeze")
    }

    private func write(_ text: String, to name: String) throws(TestbedError) {
        let file = path + "/" + name
        guard let stream = fopen(file, "w") else {
            throw TestbedError("open \(file): \(String(cString: strerror(errno)))")
        }
        let isWritten = fputs(text, stream) >= 0
        guard fclose(stream) == 0, isWritten else {
            throw TestbedError("write \(file): \(String(cString: strerror(errno)))")
        }
    }

    private static var mountPoint: String? {
        guard let mounts = fopen("/proc/self/mounts", "r") else { return nil }
        defer { fclose(mounts) }
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        while getline(&line, &size, mounts) > 0 {
            // Device, mount point, type.
            let fields = line.map { String(cString: $0).split(separator: " ") } ?? []
            if fields.count > 2, fields[2] == "cgroup2" { return String(fields[1]) }
        }
        return nil
    }
}
