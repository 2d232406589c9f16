// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// A file that belongs to this user and grows at its end.
package final class AppendedFile {
    private let path: String
    private let descriptor: OwnedDescriptor
    /// The length of the file in bytes.
    package private(set) var size: Int

    /// Opens a file, which ``PrivateFile/replace(_:with:limit:isDurable:)`` has created.
    package init(path: String) throws(SystemError) {
        self.path = path
        descriptor = try OwnedDescriptor(opening: path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK)
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else { throw SystemError("fstat", on: path) }
        size = Int(status.st_size)
    }

    /// Appends bytes.
    ///
    /// - Throws: `SystemError`; the file then has its former length, unless it cannot be shortened either.
    package func append(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { buffer in
                retryingOnInterrupt { write(descriptor.number, buffer.baseAddress, buffer.count) }
            }
            guard count > 0 else {
                let error = SystemError("write", on: path)
                _ = ftruncate(descriptor.number, off_t(size))
                throw error
            }
            rest = rest.dropFirst(count)
        }
        size += bytes.count
    }

    /// Shortens the file to a length that it had before.
    package func truncate(to length: Int) throws(SystemError) {
        guard ftruncate(descriptor.number, off_t(length)) == 0 else { throw SystemError("ftruncate", on: path) }
        size = length
    }

    /// Waits until a loss of power would not undo what was appended.
    package func sync() throws(SystemError) {
        guard fdatasync(descriptor.number) == 0 else { throw SystemError("fdatasync", on: path) }
    }
}
