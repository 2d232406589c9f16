// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// The location of the version 2 cgroups (cgroups(7)), which may coexist with version 1.
package struct CgroupHierarchy: Sendable, Hashable {
    /// The mount point of the hierarchy.
    package let directory: String
    /// The cgroup that the directory represents; in a container, this may not be the root.
    package let root: String

    /// Finds the mount in the text of `/proc/PID/mountinfo`, or returns `nil` if there is none.
    package init?(inMountInfo text: String) {
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            // number, parent, device, root, mount point, options, any more fields, "-", type, …
            let fields = line.split(separator: UInt8(ascii: " "))
            guard let dash = fields.firstIndex(where: { $0.elementsEqual("-".utf8) }), dash >= 6,
                dash + 1 < fields.count, fields[dash + 1].elementsEqual("cgroup2".utf8)
            else { continue }
            root = Self.unescaped(fields[3])
            directory = Self.unescaped(fields[4])
            return
        }
        return nil
    }

    package static func find() -> CgroupHierarchy? {
        FileContents.read("/proc/self/mountinfo", limit: mountLimit).text.flatMap { CgroupHierarchy(inMountInfo: $0) }
    }

    /// Room for about ten thousand mounts, as on hosts of containers.
    private static let mountLimit = 4 << 20

    /// Returns the directory of a cgroup, or `nil` if the mount does not include it.
    package func directory(of path: String) -> String? {
        guard !PathChain.names(of: path).contains("..") else { return nil }
        guard root != "/" else { return path == "/" ? directory : directory + path }
        guard path == root || path.utf8.starts(with: (root + "/").utf8) else { return nil }
        return directory + String(Substring(path.utf8.dropFirst(root.utf8.count)))
    }

    /// Returns the path of the cgroup in the text of `/proc/PID/cgroup`, or `nil` if there is only version 1.
    package static func path(inProcessFile text: String) -> String? {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"))
        guard let line = lines.first(where: { $0.starts(with: "0::/".utf8) }) else { return nil }
        return String(Substring(line.dropFirst("0::".utf8.count)))
    }

    /// The path of this process's cgroup, or `nil` if it is unknown.
    package static var ownPath: String? { path(ofProcess: "self") }

    /// Returns the path of a process's cgroup, or `nil` if it is unknown.
    package static func path(ofProcess process: String) -> String? {
        FileContents.read("/proc/\(process)/cgroup", limit: longestProcessFile).text.flatMap { path(inProcessFile: $0) }
    }

    /// The size of `/proc/PID/cgroup`: a line with a path (PATH_MAX) for each hierarchy, of which there are at most 14.
    private static let longestProcessFile = 65_536

    /// Returns the names of the directories directly below one.
    package static func children(of directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            guard entry.pointee.d_type == UInt8(DT_DIR) else { continue }
            let name = withName(of: entry) { String(cString: $0) }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Writes one character to a file of a cgroup.
    package static func write(_ character: Unicode.Scalar, to file: String) throws(SystemError) {
        let descriptor = try OwnedDescriptor(opening: file, O_WRONLY | O_NOCTTY)
        var byte = UInt8(ascii: character)
        guard retryingOnInterrupt({ Glibc.write(descriptor.number, &byte, 1) }) == 1 else {
            throw SystemError("write", on: file)
        }
    }

    /// Decodes the kernel's escapes for blanks and backslashes, such as `\040` (proc(5)).
    private static func unescaped(_ field: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3, let value = UInt8(Substring(digits), radix: 8) {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

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
            // 0 is the process that writes.
            try CgroupHierarchy.write("0", to: directory + "/cgroup.procs")
        } catch {
            rmdir(directory)
            throw error
        }
    }
}
