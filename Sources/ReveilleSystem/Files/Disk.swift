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
