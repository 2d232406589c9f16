// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// The names in a directory.
package enum DirectoryListing {
    /// How many names are read of one directory.
    ///
    /// A directory of settings has hundreds at most; a path given by mistake may have millions.
    package static let limit = 10_000

    /// Lists what may be a file: regular files and links, sorted, at most ``limit`` of them.
    ///
    /// - Throws: `SystemError` when there is no such directory, or it may not be read.
    package static func files(in path: String) throws(SystemError) -> [String] {
        guard let directory = opendir(path) else { throw SystemError("opendir", on: path) }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(directory) {
            let kind = Int(entry.pointee.d_type)
            // Some file systems do not say what an entry is.
            guard [Int(DT_REG), Int(DT_LNK), Int(DT_UNKNOWN)].contains(kind) else { continue }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            names.append(name)
        }
        return names.sorted()
    }
}
