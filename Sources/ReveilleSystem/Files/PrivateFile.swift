// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A small file that belongs to this user, read whole and replaced atomically.
package enum PrivateFile {
    /// The usual maximum size of a file: many times the positions that a program keeps.
    package static let limit = 2 << 20

    /// Returns the contents, or `nil` without a file; refuses another user's file, whose contents cannot be trusted.
    package static func read(_ path: String, limit: Int = limit) throws(SystemError) -> [UInt8]? {
        let number = retryingOnInterrupt { open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard number >= 0 else {
            if errno == ENOENT { return nil }
            throw SystemError("open", on: path)
        }
        let descriptor = OwnedDescriptor(number)
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else { throw SystemError("fstat", on: path) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw SystemError("open", on: path, code: EPERM)
        }
        guard status.st_size <= limit else { throw SystemError("read", on: path, code: EFBIG) }
        switch FileContents.read(descriptor, path, size: Int(status.st_size), limit: limit) {
        case .bytes(let bytes): return bytes
        case .unreadable(let error): throw error
        // It has grown meanwhile.
        case .tooLarge, .missing, .notAFile: throw SystemError("read", on: path, code: EFBIG)
        }
    }

    /// Replaces a file atomically: a reader sees either the complete old or the complete new contents.
    ///
    /// A loss of power may undo it. After an error, the file is as before.
    package static func replace(
        _ path: String, with contents: [UInt8], limit: Int = limit, on disk: Disk = Disk()
    ) throws(SystemError) {
        guard contents.count <= limit else { throw SystemError("write", on: path, code: EFBIG) }
        let temporary = path + ".new"
        let descriptor = try create(temporary)
        var isReplaced = false
        defer { if !isReplaced { unlink(temporary) } }
        try disk.write(contents, to: descriptor.number, of: temporary)
        try disk.move(temporary, to: path)
        isReplaced = true
    }

    /// Appends to a file, if it still has the given size; a failure may leave a part of the bytes in it.
    ///
    /// - Returns: Whether the bytes were appended: not to a file of another size, of another user, or that is gone.
    package static func append(
        _ contents: [UInt8], to path: String, ofSize size: Int, on disk: Disk = Disk()
    ) throws(SystemError) -> Bool {
        let number = retryingOnInterrupt { open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard number >= 0 else { return false }
        let descriptor = OwnedDescriptor(number)
        var status = stat()
        guard fstat(descriptor.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid(), status.st_size == size
        else { return false }
        try disk.write(contents, to: descriptor.number, of: path)
        return true
    }

    /// Creates the missing directories of a file, which other users cannot read.
    package static func makeDirectory(of path: String) throws(SystemError) {
        for end in path.utf8.indices.dropFirst() where path.utf8[end] == UInt8(ascii: "/") {
            let directory = String(path[..<end])
            guard access(directory, F_OK) == 0 || mkdir(directory, 0o700) == 0 || errno == EEXIST else {
                throw SystemError("mkdir", on: directory)
            }
        }
    }

    /// Creates a file, which other users cannot read.
    static func create(_ path: String) throws(SystemError) -> OwnedDescriptor {
        // An existing file is a leftover or a trap: opening a FIFO would block.
        unlink(path)
        return try OwnedDescriptor(
            opening: path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW, mode: 0o600)
    }
}
