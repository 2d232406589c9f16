// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// The input of a command that takes its data from stdin.
package enum StandardInput {
    /// The argument that stands for stdin.
    package static let name = "-"

    /// Reads everything up to the end of the input; fails if the input has more than `limit` bytes.
    package static func read(limit: Int, orFailWith code: Failure.Code) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
                let count = retryingOnInterrupt { Glibc.read(STDIN_FILENO, buffer.baseAddress, buffer.count) }
                if count > 0 { bytes += buffer[..<count] }
                return count
            }
            guard count >= 0 else { throw Failure(code, "\(SystemError("read", on: name))") }
            if count == 0 { return bytes }
        }
        throw Failure(code, "\(name): exceeds \(limit) bytes")
    }
}
