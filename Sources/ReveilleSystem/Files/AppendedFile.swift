// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file that belongs to this user and grows at its end.
package final class AppendedFile {
    private let path: String
    private let disk: Disk
    private let descriptor: OwnedDescriptor
    /// The length of the file in bytes.
    package private(set) var size: Int

    /// Opens a file, which ``PrivateFile/replace(_:with:limit:isDurable:)`` has created.
    package init(path: String, on disk: Disk = Disk()) throws(SystemError) {
        self.path = path
        self.disk = disk
        try disk.attempt(.open, "open", on: path) { true }
        descriptor = try OwnedDescriptor(opening: path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK)
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else { throw SystemError("fstat", on: path) }
        size = Int(status.st_size)
    }

    /// After an error, a part of the bytes may be in the file.
    package func append(_ bytes: [UInt8]) throws(SystemError) {
        try disk.write(bytes, to: descriptor.number, of: path)
        size += bytes.count
    }

    package func truncate(to length: Int) throws(SystemError) {
        try disk.attempt(.truncate, "ftruncate", on: path) {
            retryingOnInterrupt { ftruncate(descriptor.number, off_t(length)) } == 0
        }
        size = length
    }

    /// Waits until a loss of power could not undo the appended bytes.
    package func sync() throws(SystemError) {
        try disk.attempt(.sync, "fdatasync", on: path) {
            retryingOnInterrupt { fdatasync(descriptor.number) } == 0
        }
    }
}
