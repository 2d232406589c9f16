// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// What came of reading a file whole.
package enum FileContents: Sendable, Hashable {
    /// Everything that is in it.
    case bytes([UInt8])
    /// Nothing is there.
    case missing
    /// It is longer than the limit that was given, in bytes.
    case tooLarge(limit: Int)
    /// It is a directory, a pipe, a socket or a device.
    case notAFile
    /// It is there, perhaps, but cannot be read.
    case unreadable(SystemError)

    /// Reads a regular file, and nothing else; never blocks on a pipe or a device.
    ///
    /// - Parameters:
    ///   - path: Followed through links.
    ///   - limit: The most that is read, in bytes.
    /// - Returns: Everything that is in it, or why not.
    package static func read(_ path: String, limit: Int) -> FileContents {
        // Looked at before it is opened: to open a device may do something, a tape rewinds.
        var status = stat()
        guard stat(path, &status) == 0 else { return failed("stat", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .notAFile }
        // Should it have become a pipe in between, O_NONBLOCK keeps open(2) from waiting for a writer.
        let number = retryingOnInterrupt { open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) }
        guard number >= 0 else { return failed("open", path) }
        let descriptor = OwnedDescriptor(number)
        guard fstat(descriptor.number, &status) == 0 else { return failed("fstat", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .notAFile }
        guard status.st_size <= limit else { return .tooLarge(limit: limit) }
        return read(descriptor, path, size: Int(status.st_size), limit: limit)
    }

    /// What is read at once of a file that does not say its size: some file systems' files, and the kernel's.
    private static let chunkSize = 65_536

    private static func read(
        _ descriptor: borrowing OwnedDescriptor, _ path: String, size: Int, limit: Int
    ) -> FileContents {
        var bytes: [UInt8] = []
        // One more than expected tells the end without a second round, and a file that grows meanwhile. A
        // file of the kernel's has no size, and gives everything to the first read.
        var room = size > 0 ? size + 1 : chunkSize
        let number = descriptor.number
        while bytes.count <= limit {
            var failure: FileContents?
            let chunk = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                let result = retryingOnInterrupt { Glibc.read(number, buffer.baseAddress, buffer.count) }
                if result < 0 { failure = failed("read", path) }
                count = max(0, result)
            }
            if let failure { return failure }
            if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
            if chunk.count < room, chunk.isEmpty || bytes.count == size { return .bytes(bytes) }
            room = chunkSize
        }
        return .tooLarge(limit: limit)
    }

    private static func failed(_ operation: String, _ path: String) -> FileContents {
        let error = SystemError(operation, on: path)
        return error.isAbsence ? .missing : .unreadable(error)
    }
}
