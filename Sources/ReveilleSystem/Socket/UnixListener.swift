// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CReveilleLinux
import Glibc

/// A listening socket in the file system, which only one process at a time has.
///
/// A file beside the socket, `<path>.lock`, is locked for as long as the listener lives. So a socket that
/// nobody serves any more can be told from a living one and replaced, and of two that start at once only
/// one does.
package final class UnixListener {
    private let descriptor: OwnedDescriptor
    /// What to remove at the end: `nil` for a socket that a supervisor handed over and keeps.
    private var file: SocketFile?
    private let lock: SocketLock?

    /// What waits to be accepted.
    package enum Accepted {
        case connection(UnixStream)
        /// Nobody waits now.
        case none
        /// There are no descriptors or no memory left; trying again at once would spin.
        case exhausted(SystemError)
    }

    /// Listens at an address, and lets every user connect.
    ///
    /// - Parameter address: Where; its directory must exist.
    /// - Throws: `SystemError` with `EADDRINUSE` where another process serves the address, or something
    ///   that is no socket has its name.
    package init(at address: UnixAddress) throws(SystemError) {
        lock = try SocketLock(address.path)
        try UnixListener.removeStale(address)
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_NONBLOCK | O_CLOEXEC, 0)
        guard number >= 0 else { throw SystemError("socket") }
        descriptor = OwnedDescriptor(number)
        // By umask: a mode set after bind leaves a moment in which others are refused.
        let mask = umask(0o111)
        let bound = address.withSocketAddress { bind(number, $0, $1) }
        let failure = errno
        umask(mask)
        guard bound == 0 else { throw SystemError("bind", on: address.path, code: failure) }
        file = SocketFile(address.path)
        guard listen(number, SOMAXCONN) == 0 else { throw SystemError("listen", on: address.path) }
    }

    /// Takes a listening socket that a supervisor made.
    package init(inherited number: Int32) throws(SystemError) {
        descriptor = OwnedDescriptor(number)
        lock = nil
        guard fcntl(number, F_SETFL, O_NONBLOCK) == 0 else { throw SystemError("fcntl") }
    }

    deinit {
        file?.remove()
    }

    /// Leaves the socket in the file system for the next to listen.
    package func leaveInPlace() {
        file = nil
    }

    /// The descriptor, borrowed for as long as the listener lives.
    package var number: Int32 { descriptor.number }

    /// Where it listens, as far as that has a path.
    package var address: UnixAddress? {
        UnixAddress(boundTo: descriptor.number)
    }

    /// Takes the next connection that waits, if there is a descriptor for it that is not kept back
    /// (``DescriptorLimit``).
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
            // A server that does not know the lock may live behind it.
            _ = try UnixStream(connectingTo: address, atMost: .zero)
        } catch {
            // Only a refusal says that nobody listens: a full queue is somebody's, too.
            guard [ECONNREFUSED, ENOENT].contains(error.code) else { throw taken }
            guard unlink(address.path) == 0 || errno == ENOENT else { throw SystemError("unlink", on: address.path) }
            return
        }
        throw taken
    }
}
