// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// Why a file's contents mean nothing to who reads it.
package struct FileProblem: Error, Hashable {
    /// What is wrong, for a person: `not UTF-8`.
    package let reason: String
}

/// What a file holds for a watcher, and which files of a directory are the watcher's.
struct FileFormat<Value: Equatable> {
    /// Whether a file that is found in a directory is the watcher's, by its name.
    enum Membership {
        case no
        /// What is in it decides; it is no problem when that makes no sense.
        case perhaps
        case yes
    }

    /// The most that is read of a file, in bytes.
    let sizeLimit: Int
    /// Says whether a name in a directory is such a file; `nil` when a directory stands for no files.
    let membership: ((_ name: String) -> Membership)?
    /// Reads a file's contents; no bytes are an empty file.
    ///
    /// `nil` for a file that was found in a directory and is none of the watcher's.
    let parse: (_ path: String, _ isFound: Bool, _ bytes: [UInt8]) throws(FormatError) -> Value?
}
