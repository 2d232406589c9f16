// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Where the cgroups of version 2 are (cgroups(7)): alone, or beside those of version 1.
package struct CgroupHierarchy: Sendable, Hashable {
    /// The directory that it is mounted on.
    package let directory: String
    /// The cgroup that this directory shows: not always the uppermost, in a container.
    package let root: String

    /// Finds the mount in the text of `/proc/PID/mountinfo`; `nil` when there is none.
    package init?(inMountInfo text: String) {
        for line in text.split(separator: "\n") {
            // number, parent, device, root, mount point, options, any more fields, "-", type, …
            let fields = line.split(separator: " ")
            guard let dash = fields.firstIndex(of: "-"), dash >= 6, dash + 1 < fields.count,
                fields[dash + 1] == "cgroup2"
            else { continue }
            root = Self.unescaped(fields[3])
            directory = Self.unescaped(fields[4])
            return
        }
        return nil
    }

    /// Finds the mount that this process sees.
    package static func find() -> CgroupHierarchy? {
        guard case .bytes(let bytes) = FileContents.read("/proc/self/mountinfo", limit: mountLimit) else { return nil }
        return CgroupHierarchy(inMountInfo: String(decoding: bytes, as: UTF8.self))
    }

    /// Some ten thousand mounts, as hosts of containers have them.
    private static let mountLimit = 4 << 20

    /// The directory of a cgroup; `nil` for one that the mount does not show.
    package func directory(of path: String) -> String? {
        guard !path.split(separator: "/").contains("..") else { return nil }
        guard root != "/" else { return path == "/" ? directory : directory + path }
        guard path == root || path.hasPrefix(root + "/") else { return nil }
        return directory + path.dropFirst(root.count)
    }

    /// The path of the cgroup in the text of `/proc/PID/cgroup`; `nil` where there is only version 1.
    package static func path(inProcessFile text: String) -> String? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else { return nil }
        return String(line.dropFirst("0::".count))
    }

    /// Undoes what the kernel does to blanks and backslashes: `\040` (proc(5)).
    private static func unescaped(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Substring(field).utf8
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
