// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// The names in a directory.
package struct DirectoryListing: Sendable, Hashable {
    /// How many names are read of one directory.
    ///
    /// A directory of settings has hundreds at most; a path given by mistake may have millions.
    package static let limit = 10_000

    /// The names of what may be a file: regular files and links, sorted.
    package private(set) var names: [String] = []
    /// How many names are left out because they are not UTF-8, so that no text can stand for them.
    package private(set) var unreadableNames = 0
    /// There are more than ``limit``, and which of them were read is chance.
    package private(set) var isCut = false

    /// Lists a directory.
    ///
    /// - Throws: `SystemError` when there is no such directory, or it may not be read.
    package init(of path: String) throws(SystemError) {
        guard let directory = opendir(path) else { throw SystemError("opendir", on: path) }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let kind = Int(entry.pointee.d_type)
            // Some file systems do not say what an entry is.
            guard [Int(DT_REG), Int(DT_LNK), Int(DT_UNKNOWN)].contains(kind) else { continue }
            guard names.count + unreadableNames < Self.limit else {
                isCut = true
                break
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(validatingCString: $0) }
            }
            if let name { names.append(name) } else { unreadableNames += 1 }
        }
        names.sort()
    }

    /// The names in a directory that can be read; see ``init(of:)``.
    package static func files(in path: String) throws(SystemError) -> [String] {
        try DirectoryListing(of: path).names
    }
}
