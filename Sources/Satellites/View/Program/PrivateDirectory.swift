// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem

/// The directory of files that only their user may read.
enum PrivateDirectory {
    /// Creates the directories of a path that are missing, which only this user can access.
    ///
    /// A failure is reported by the operation on the file.
    static func create(parentOf path: String) {
        var end = path.utf8.index(after: path.utf8.startIndex)
        while let slash = path.utf8[end...].firstIndex(of: UInt8(ascii: "/")) {
            mkdir(String(path[..<slash]), 0o700)
            end = path.utf8.index(after: slash)
        }
    }
}
