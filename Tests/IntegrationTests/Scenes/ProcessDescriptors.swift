// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

enum ProcessDescriptors {
    /// Returns the targets of a process's file descriptors: a path, or a type and a number.
    static func targets(of process: pid_t) throws -> [String] {
        let directory = "/proc/\(process)/fd/"
        // A file descriptor may be closed in the meantime.
        return try DirectoryListing.files(in: directory).compactMap { target(of: directory + $0) }
    }

    /// Returns the target of a link; `nil` if it is gone.
    static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        return count < 0 ? nil : String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
