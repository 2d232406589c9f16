// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// A listening socket in the file system, which only one process at a time can own.
///
/// A file beside the socket, `<path>.lock`, is locked for the lifetime of the listener. The lock distinguishes a
/// replaceable, stale socket from a live one. If two processes start at the same time, only one can take the lock.
package final class UnixListener {
    private let descriptor: OwnedDescriptor
    /// The file to remove at the end; `nil` for a socket that a supervisor passed and keeps.
    private var file: SocketFile?
    private let lock: FileLock?

    package enum Accepted {
        case connection(UnixStream)
        case none
        /// Descriptors or memory are exhausted; retrying immediately would spin.
        case exhausted(SystemError)
    }

    /// Listens at an address that every user can connect to; its directory must exist.
    ///
    /// - Throws: `SystemError` with `EADDRINUSE` if another process serves the address, or if its path is not a
    ///   socket.
    package init(at address: UnixAddress) throws(SystemError) {
        do throws(SystemError) {
            lock = try FileLock(address.path)
        } catch {
            throw error.code == EWOULDBLOCK ? SystemError("bind", on: address.path, code: EADDRINUSE) : error
        }
        try UnixListener.removeStale(address)
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_NONBLOCK | O_CLOEXEC, 0)
        guard number >= 0 else { throw SystemError("socket") }
        descriptor = OwnedDescriptor(number)
        // Set by umask: with a mode set after bind, others would be refused for a moment.
        let failure = ThreadUmask.with(0o111) {
            address.withSocketAddress { bind(number, $0, $1) } == 0 ? nil : errno
        }
        if let failure { throw SystemError("bind", on: address.path, code: failure) }
        file = SocketFile(address.path)
        guard listen(number, SOMAXCONN) == 0 else { throw SystemError("listen", on: address.path) }
    }

    /// Takes ownership of a listening socket that a supervisor created.
    package init(inherited number: Int32) throws(SystemError) {
        descriptor = OwnedDescriptor(number)
        lock = nil
        guard fcntl(number, F_SETFL, O_NONBLOCK) == 0 else { throw SystemError("fcntl") }
    }

    deinit {
        file?.remove()
    }

    /// Leaves the socket in the file system for the next listener.
    package func leaveInPlace() {
        file = nil
    }

    /// The descriptor, borrowed for the lifetime of the listener.
    package var number: Int32 { descriptor.number }

    /// The address, if the socket has a path.
    package var address: UnixAddress? {
        UnixAddress(boundTo: descriptor.number)
    }

    /// Accepts the next pending connection, if a descriptor outside the reserve (``DescriptorLimit``) is available.
    package func accept() throws(SystemError) -> Accepted {
        guard DescriptorLimit.hasRoom(beside: descriptor.number) else {
            return .exhausted(SystemError("accept4", code: EMFILE))
        }
        let number = retryingOnInterrupt { c_reveille_accept(descriptor.number) }
        if number >= 0 { return .connection(UnixStream(OwnedDescriptor(number))) }
        switch errno {
        case EAGAIN, ECONNABORTED: return .none
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted(SystemError("accept4"))
        default: throw SystemError("accept4")
        }
    }

    private static func removeStale(_ address: UnixAddress) throws(SystemError) {
        var status = stat()
        guard lstat(address.path, &status) == 0 else { return }
        let taken = SystemError("bind", on: address.path, code: EADDRINUSE)
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw taken }
        do throws(SystemError) {
            // A server without the lock may still be listening.
            _ = try UnixStream(connectingTo: address, atMost: .zero)
        } catch {
            // Only a refusal proves that there is no listener; a full queue also belongs to one.
            guard [ECONNREFUSED, ENOENT].contains(error.code) else { throw taken }
            guard unlink(address.path) == 0 || errno == ENOENT else { throw SystemError("unlink", on: address.path) }
            return
        }
        throw taken
    }
}

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
