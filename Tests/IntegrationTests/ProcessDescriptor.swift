// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem

/// An open file descriptor of a process, other than its standard streams.
struct ProcessDescriptor: Hashable {
    /// A path, or a type and a number.
    let target: String
    /// Whether programs that the process starts inherit the descriptor.
    let isInherited: Bool

    static func all(of pid: Int32) throws -> [ProcessDescriptor] {
        let names = try DirectoryListing.files(in: "/proc/\(pid)/fd")
        // A descriptor may be closed in the meantime.
        return names.filter { Int($0) ?? 0 > 2 }.compactMap { try? ProcessDescriptor(pid, $0) }
    }

    private init(_ pid: Int32, _ name: String) throws {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/\(pid)/fd/\(name)", &target, target.count)
        guard count > 0 else { throw Trouble("readlink \(name)") }
        self.target = String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let lines = try String(contentsOfFile: "/proc/\(pid)/fdinfo/\(name)").split(separator: "\n")
        guard let flags = lines.first(where: { $0.hasPrefix("flags:") })?.split(separator: "\t").last,
            let bits = Int32(flags, radix: 8)
        else { throw Trouble("fdinfo \(name)") }
        isInherited = bits & O_CLOEXEC == 0
    }
}
