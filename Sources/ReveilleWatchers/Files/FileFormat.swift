// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The contents of a watcher's files, and the names of its files in a directory.
struct FileFormat<Value: Equatable> {
    /// Whether a file in a directory is the watcher's, by its name.
    enum Membership {
        case no
        /// The contents decide. Invalid contents are not a problem.
        case perhaps
        case yes
    }

    /// The largest file that is read, in bytes.
    let sizeLimit: Int
    /// Returns the membership of a name; `nil` for a watcher that does not read directories.
    let membership: ((_ name: String) -> Membership)?
    /// Parses a file; `nil` for a file that was found in a directory and is not the watcher's.
    let parse: (_ path: String, _ isFound: Bool, _ bytes: [UInt8]) throws(FormatError) -> Value?
}
