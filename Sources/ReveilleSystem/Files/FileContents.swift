// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// The result of reading a whole file.
package enum FileContents: Sendable, Hashable {
    case bytes([UInt8])
    case missing
    case tooLarge(limit: Int, Version)
    /// The path leads to a directory, pipe, socket or device.
    case notAFile
    /// The file may exist but cannot be read.
    case unreadable(SystemError)

    /// The attributes that change with the contents of a file that is not read.
    package struct Version: Sendable, Hashable {
        package var size = 0
        /// The time of the last modification in nanoseconds since 1970, modulo 2^64.
        package var modified: Int64 = 0
    }

    /// The contents as text, in which bytes that are not UTF-8 are replaced; `nil` without contents.
    package var text: String? {
        if case .bytes(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    /// Reads a regular file and follows links; never blocks on a pipe or a device.
    package static func read(_ path: String, limit: Int) -> FileContents {
        AttributeReads.read(path) { readWhole(path, limit: limit) }
    }

    private static func readWhole(_ path: String, limit: Int) -> FileContents {
        // Checked before opening: opening a device can have side effects, such as rewinding a tape.
        var status = stat()
        guard stat(path, &status) == 0 else { return failed("stat", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .notAFile }
        // If the file has become a pipe since, O_NONBLOCK keeps open(2) from waiting for a writer.
        let number = retryingOnInterrupt { open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) }
        guard number >= 0 else { return failed("open", path) }
        let descriptor = OwnedDescriptor(number)
        guard fstat(descriptor.number, &status) == 0 else { return failed("fstat", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .notAFile }
        guard status.st_size <= limit else {
            // Some file systems have times beyond the year 2262.
            let modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
            return .tooLarge(limit: limit, Version(size: Int(status.st_size), modified: modified))
        }
        return read(descriptor, path, size: Int(status.st_size), limit: limit)
    }

    /// The size of a read from a file that reports no size, as in /proc and some other file systems.
    private static let chunkSize = 65_536

    static func read(
        _ descriptor: borrowing OwnedDescriptor, _ path: String, size: Int, limit: Int
    ) -> FileContents {
        var bytes: [UInt8] = []
        // One byte more than the expected size detects the end without a second read, and a file that is growing.
        // A kernel file reports no size and returns all its contents to the first read.
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
        return .tooLarge(limit: limit, Version(size: bytes.count))
    }

    private static func failed(_ operation: String, _ path: String) -> FileContents {
        let error = SystemError(operation, on: path)
        return error.isAbsence ? .missing : .unreadable(error)
    }
}

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
        case .tooLarge(let limit, _): throw Unusable(description: "\(path): longer than \(limit) bytes")
        case .unreadable(let error): throw Unusable(description: "\(error)")
        }
    }
}
