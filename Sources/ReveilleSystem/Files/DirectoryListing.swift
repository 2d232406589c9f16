// SPDX-License-Identifier: Apache-2.0

import Glibc

package struct DirectoryListing: Sendable, Hashable {
    /// The maximum number of names to read from one directory.
    ///
    /// A settings directory has at most hundreds of files; a path given by mistake may have millions.
    package static let limit = 10_000

    /// The sorted names of regular files, links, and entries of unknown type.
    package private(set) var names: [String] = []
    /// The number of omitted names that are not valid UTF-8 and therefore cannot be represented as strings.
    package private(set) var unreadableNames = 0
    /// Whether the directory has more than ``limit`` names; then an arbitrary subset was read.
    package private(set) var isCut = false

    package init(of path: String) throws(SystemError) {
        guard let directory = opendir(path) else { throw SystemError("opendir", on: path) }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let kind = Int(entry.pointee.d_type)
            // Some file systems do not report the type of an entry.
            guard [Int(DT_REG), Int(DT_LNK), Int(DT_UNKNOWN)].contains(kind) else { continue }
            guard names.count + unreadableNames < Self.limit else {
                isCut = true
                break
            }
            if let name = withName(of: entry, String.init(validatingCString:)) {
                names.append(name)
            } else {
                unreadableNames += 1
            }
        }
        names.sort()
    }

    /// Returns the valid names in a directory; see ``init(of:)``.
    package static func files(in path: String) throws(SystemError) -> [String] {
        try DirectoryListing(of: path).names
    }
}
