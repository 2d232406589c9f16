// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleSystem

/// A file for a result, opened before the work begins, since a late failure would waste the work.
final class OutputFile {
    private static let mode: mode_t = 0o666

    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(Failure) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, Self.mode)
        guard descriptor >= 0 else { throw Failure(.output, "\(SystemError("open", on: path))") }
    }

    deinit {
        close(descriptor)
    }

    /// Replaces the content of the file.
    func write(_ text: String) throws(Failure) {
        // A device or a pipe has no length.
        if ftruncate(descriptor, 0) != 0, errno != EINVAL {
            throw Failure(.output, "\(SystemError("ftruncate", on: path))")
        }
        try Failure.coded(.output) { try Output.write(text.utf8, to: descriptor, of: path) }
    }
}
