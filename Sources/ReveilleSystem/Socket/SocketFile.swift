// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A socket file that this process created.
struct SocketFile {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Records the file that a path currently leads to, or returns `nil` if there is none.
    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    /// Removes the file unless another has replaced it.
    func remove() {
        guard let now = SocketFile(path), now.device == device, now.inode == inode else { return }
        unlink(path)
    }
}

/// The lock of a socket's path: the locked file `<path>.lock` beside the socket.
struct SocketLock: ~Copyable {
    private let descriptor: OwnedDescriptor

    /// Throws bind(2) with `EADDRINUSE` if another process holds the lock.
    init(_ path: String) throws(SystemError) {
        let file = path + ".lock"
        let descriptor = try OwnedDescriptor(opening: file, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK
                ? SystemError("bind", on: path, code: EADDRINUSE) : SystemError("flock", on: file)
        }
        self.descriptor = descriptor
    }

    deinit {
        // A child that has been forked, but has not executed another program yet, shares the lock.
        flock(descriptor.number, LOCK_UN)
    }
}
