// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file without which a program cannot start, such as a file that its user named.
package enum RequiredFile {
    package struct Unusable: Error, Hashable, CustomStringConvertible {
        /// The path and the reason, on one line.
        package let description: String
    }

    /// Reads a regular file and follows links.
    package static func read(_ path: String, limit: Int) throws(Unusable) -> [UInt8] {
        switch FileContents.read(path, limit: limit) {
        case .bytes(let bytes): return bytes
        case .missing: throw Unusable(description: "\(SystemError("open", on: path, code: ENOENT))")
        case .notAFile: throw Unusable(description: "\(path): not a file")
        case .tooLarge(let limit): throw Unusable(description: "\(path): longer than \(limit) bytes")
        case .unreadable(let error): throw Unusable(description: "\(error)")
        }
    }
}
