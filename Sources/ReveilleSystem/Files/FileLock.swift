// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The lock of a path, for one process at a time: the locked file `<path>.lock` beside it.
package struct FileLock: ~Copyable {
    private let descriptor: OwnedDescriptor

    /// Throws flock(2) with `EWOULDBLOCK` if another process holds the lock.
    package init(_ path: String) throws(SystemError) {
        let file = path + ".lock"
        let descriptor = try OwnedDescriptor(opening: file, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else { throw SystemError("flock", on: file) }
        self.descriptor = descriptor
    }

    deinit {
        // A child that has been forked, but has not executed another program yet, shares the lock.
        flock(descriptor.number, LOCK_UN)
    }
}
