// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// The disk that files are written to; a test's disk refuses some steps.
package struct Disk: Sendable {
    package enum Step: CaseIterable {
        case open, write, sync, rename, syncDirectory, truncate, unlink
    }

    private let refuses: @Sendable (Step) -> Bool

    package init(refuses: @escaping @Sendable (Step) -> Bool = { _ in false }) {
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

    /// Gives a file another path, in place of a file that has it.
    package func move(_ path: String, to other: String) throws(SystemError) {
        try attempt(.rename, "rename", on: other) { rename(path, other) == 0 }
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
///
/// It is created beside its path. One thread at a time changes it, while another may wait for the disk.
package final class AppendedFile: Sendable {
    private struct Extent: Sendable {
        var size = 0
        /// The end of the room that the file has on the disk, if that is beyond its own end.
        var roomEnd = 0
    }

    /// The bytes that are reserved in addition: dozens of records, which need no further call.
    private static let extraRoom = 16 << 10

    private let path: String
    private let disk: Disk
    private let descriptor: OwnedDescriptor
    private let extent = Lock(Extent())

    /// The length of the file in bytes.
    package var size: Int { extent.withLock { $0.size } }
    private var temporary: String { path + ".new" }

    /// Creates a file with contents that a loss of power could not undo; ``moveIntoPlace(adding:)`` gives it its path.
    package init(path: String, contents: [UInt8], on disk: Disk = Disk()) throws(SystemError) {
        self.path = path
        self.disk = disk
        try disk.attempt(.open, "open", on: path) { true }
        descriptor = try PrivateFile.create(path + ".new")
        do throws(SystemError) {
            try append(contents)
            try sync()
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Appends bytes and replaces the file at the path; after an error, this file is removed.
    package func moveIntoPlace(adding bytes: [UInt8]) throws(SystemError) {
        do throws(SystemError) {
            try append(bytes)
            try disk.move(temporary, to: path)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Reserves room for bytes after the end, if the file system can; false if the disk is full.
    package func reserve(_ count: Int) -> Bool {
        extent.withLock { extent in
            guard extent.size + count > extent.roomEnd else { return true }
            for count in [count + Self.extraRoom, count]
            where retryingOnInterrupt({ c_reveille_reserve(descriptor.number, Int64(extent.size), Int64(count)) }) == 0
            {
                extent.roomEnd = extent.size + count
                return true
            }
            return ![ENOSPC, EDQUOT, EFBIG].contains(errno)
        }
    }

    /// Returns the reserved room to the disk.
    package func release() {
        _ = retryingOnInterrupt { ftruncate(descriptor.number, off_t(size)) }
        extent.withLock { $0.roomEnd = 0 }
    }

    /// After an error, a part of the bytes may be in the file.
    package func append(_ bytes: [UInt8]) throws(SystemError) {
        try disk.write(bytes, to: descriptor.number, of: path)
        extent.withLock { $0.size += bytes.count }
    }

    package func truncate(to length: Int) throws(SystemError) {
        try disk.attempt(.truncate, "ftruncate", on: path) {
            retryingOnInterrupt { ftruncate(descriptor.number, off_t(length)) } == 0
        }
        extent.withLock { $0 = Extent(size: length) }
    }

    /// Waits until a loss of power could not undo the appended bytes.
    package func sync() throws(SystemError) {
        try disk.attempt(.sync, "fdatasync", on: path) {
            retryingOnInterrupt { fdatasync(descriptor.number) } == 0
        }
    }
}
