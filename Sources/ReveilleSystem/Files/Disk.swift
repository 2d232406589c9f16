// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The disk that files are written to; a test's disk refuses some steps.
package struct Disk {
    package enum Step: CaseIterable {
        case open, write, sync, rename, syncDirectory, truncate, unlink
    }

    private let refuses: (Step) -> Bool

    package init(refuses: @escaping (Step) -> Bool = { _ in false }) {
        self.refuses = refuses
    }

    /// Throws the disk's error, or else the system call's.
    func attempt(
        _ step: Step, _ call: String, on path: String, _ body: () -> Bool
    ) throws(SystemError) {
        guard !refuses(step) else { throw SystemError(call, on: path, code: EIO) }
        guard body() else { throw SystemError(call, on: path) }
    }

    /// Writes bytes; a failure may leave a part of them written.
    func write(_ bytes: [UInt8], to descriptor: Int32, of path: String) throws(SystemError) {
        let isRefused = refuses(.write)
        try Output.write(isRefused ? bytes.dropLast(bytes.count / 2 + 1) : bytes[...], to: descriptor, of: path)
        if isRefused { throw SystemError("write", on: path, code: ENOSPC) }
    }

    /// Removes a file, if it exists.
    package func remove(_ path: String) throws(SystemError) {
        try attempt(.unlink, "unlink", on: path) { Glibc.unlink(path) == 0 || errno == ENOENT }
    }

    /// Waits until a loss of power could not undo the creation, replacement or removal of a file.
    package func syncDirectory(of path: String) throws(SystemError) {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = try OwnedDescriptor(opening: directory, O_RDONLY | O_DIRECTORY)
        try attempt(.syncDirectory, "fsync", on: directory) {
            retryingOnInterrupt { fsync(descriptor.number) } == 0
        }
    }
}

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
