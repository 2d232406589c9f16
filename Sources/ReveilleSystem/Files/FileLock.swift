// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The lock of a path, for one process at a time: the locked file `<path>.lock` beside it, with the number of the process.
package struct FileLock: ~Copyable {
    private let descriptor: OwnedDescriptor

    /// How often the lock is tried, and the pause in microseconds: a program that a killed holder was about to start
    /// shares its lock until it is executed.
    private static let attempts = (count: 10, pause: UInt32(100_000))

    /// Takes the lock, and waits up to a second for a holder that is ending.
    package static func patiently(_ path: String) throws(SystemError) -> FileLock {
        for _ in 1..<attempts.count {
            do throws(SystemError) {
                return try FileLock(path)
            } catch {
                guard error.code == EWOULDBLOCK else { throw error }
                usleep(attempts.pause)
            }
        }
        return try FileLock(path)
    }

    /// Throws flock(2) with `EWOULDBLOCK` if another process holds the lock.
    package init(_ path: String) throws(SystemError) {
        let file = path + ".lock"
        let descriptor = try OwnedDescriptor(opening: file, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else { throw SystemError("flock", on: file) }
        // Only messages need the number, so a full disk does no harm.
        let number = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor.number, 0)
        _ = pwrite(descriptor.number, number, number.count, 0)
        self.descriptor = descriptor
    }

    /// Returns the process that holds the lock of a path; `nil` if its file cannot be read.
    package static func holder(of path: String) -> Int32? {
        guard let bytes = try? PrivateFile.read(path + ".lock") else { return nil }
        return Int32(String(decoding: bytes, as: UTF8.self).filter(\.isNumber))
    }

    deinit {
        // A child that has been forked, but has not executed another program yet, shares the lock.
        flock(descriptor.number, LOCK_UN)
    }
}
