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
        var contents = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < contents.count {
            let count = contents.withUnsafeMutableBytes { buffer in
                retryingOnInterrupt {
                    Glibc.read(descriptor.number, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
                }
            }
            guard count > 0 else { throw SystemError("read", on: path, code: count == 0 ? EIO : errno) }
            filled += count
        }
        return contents
    }

    /// Replaces a file atomically: a reader sees either the complete old or the complete new contents.
    ///
    /// If durable, a loss of power cannot undo it. After an error, the file is as before, unless only durability failed.
    package static func replace(
        _ path: String, with contents: [UInt8], limit: Int = limit, isDurable: Bool = false,
        on disk: Disk = Disk()
    ) throws(SystemError) {
        guard contents.count <= limit else { throw SystemError("write", on: path, code: EFBIG) }
        let temporary = path + ".new"
        // An existing file is a leftover or a trap: opening a FIFO would block.
        unlink(temporary)
        let descriptor = try OwnedDescriptor(
            opening: temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        var isReplaced = false
        defer { if !isReplaced { unlink(temporary) } }
        try disk.write(contents, to: descriptor.number, of: temporary)
        if isDurable {
            try disk.attempt(.sync, "fsync", on: temporary) { retryingOnInterrupt { fsync(descriptor.number) } == 0 }
        }
        try disk.attempt(.rename, "rename", on: path) { rename(temporary, path) == 0 }
        isReplaced = true
        if isDurable { try disk.syncDirectory(of: path) }
    }
}
