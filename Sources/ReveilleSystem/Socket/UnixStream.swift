// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// One end of a connection, which never blocks.
package final class UnixStream: ByteStream {
    /// The most messages with file descriptors in one read; a peer may send each byte in such a message.
    private static let messagesPerRead = 32

    private let descriptor: OwnedDescriptor
    // Read with each call; nothing calls back during a read.
    @exclusivity(unchecked) package private(set) var isInterrupted = false
    private var wasReset = false

    package enum Outcome: Sendable, Hashable {
        /// The number of bytes transferred, at least one.
        case bytes(Int)
        case wouldBlock
        /// The peer has closed the connection or stopped writing.
        case ended
    }

    /// The process that connected, according to SO_PEERCRED.
    package struct Peer: Sendable, Hashable {
        package var pid: Int32
        /// The effective user ID.
        package var uid: UInt32

        package init(pid: Int32, uid: UInt32) {
            self.pid = pid
            self.uid = uid
        }
    }

    /// Takes ownership of a connected, non-blocking socket.
    package init(_ descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
    }

    /// Takes ownership of a connection that a supervisor passed.
    package convenience init(inherited number: Int32) throws(SystemError) {
        let descriptor = OwnedDescriptor(number)
        guard fcntl(number, F_SETFL, O_NONBLOCK) == 0 else { throw SystemError("fcntl") }
        self.init(descriptor)
    }

    /// How long a program without an event loop waits for room in a listener's queue; the same as for a reply.
    package static let connectPatience: Duration = .seconds(10)

    /// Connects to a listening socket, and waits while its queue is full, at last with the error `EAGAIN`.
    ///
    /// No descriptor reports when there is room, so a loop passes zero and retries later.
    package convenience init(
        connectingTo address: UnixAddress, atMost patience: Duration = UnixStream.connectPatience
    ) throws(SystemError) {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        guard number >= 0 else { throw SystemError("socket") }
        let descriptor = OwnedDescriptor(number)
        let deadline = ContinuousClock.now + patience
        while true {
            try Self.limitWait(of: number, until: deadline)
            let result = address.withSocketAddress { connect(number, $0, $1) }
            if result == 0 { break }
            // After a signal, the wait continues for the remaining time.
            guard errno == EINTR else { throw SystemError("connect", on: address.path) }
        }
        guard fcntl(number, F_SETFL, O_NONBLOCK) == 0 else { throw SystemError("fcntl", on: address.path) }
        self.init(descriptor)
    }

    /// Limits the wait of connect(2) with the send timeout (unix(7)); past the deadline, it does not wait at all.
    private static func limitWait(of number: Int32, until deadline: ContinuousClock.Instant) throws(SystemError) {
        let (seconds, attoseconds) = (deadline - ContinuousClock.now).components
        let microseconds = attoseconds / 1_000_000_000_000
        // A timeout of zero would mean no timeout.
        guard seconds > 0 || microseconds > 0 else {
            guard fcntl(number, F_SETFL, O_NONBLOCK) == 0 else { throw SystemError("fcntl") }
            return
        }
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(microseconds))
        guard setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size)) == 0 else {
            throw SystemError("setsockopt SO_SNDTIMEO")
        }
    }

    package static func pair() throws(SystemError) -> (UnixStream, UnixStream) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError("socketpair") }
        return (UnixStream(OwnedDescriptor(ends[0])), UnixStream(OwnedDescriptor(ends[1])))
    }

    package var number: Int32 { descriptor.number }

    package func peer() throws(SystemError) -> Peer {
        var pid: pid_t = 0
        var uid: uid_t = 0
        guard c_reveille_peer_credentials(number, &pid, &uid) == 0 else { throw SystemError("getsockopt SO_PEERCRED") }
        return Peer(pid: pid, uid: uid)
    }

    // The kernel counts the memory of unread data, some hundred bytes for the shortest message. An edge of `EPOLLOUT`
    // reports that the peer has read.
    package var isAllRead: Bool {
        var waiting: Int32 = 0
        // A count of 1 also means nothing unread: while freeing a message, the kernel keeps a single byte of its
        // count until it has reported the room (sock_wfree). Another processor may check in between, and no other
        // edge would follow.
        return c_reveille_unread(number, &waiting) == 0 && waiting <= 1
    }

    // The kernel reports the reset of the connection once: here, or by a read or a write.
    package var hasLostOutput: Bool {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        if getsockopt(number, SOL_SOCKET, SO_ERROR, &error, &size) == 0, error != 0 { wasReset = true }
        return wasReset
    }

    // The kernel closes file descriptors that the peer passes, and ends a read after them even if more bytes follow.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Outcome {
        var message = msghdr()
        var filled = 0
        var messages = 0
        isInterrupted = false
        repeat {
            guard messages < Self.messagesPerRead else {
                isInterrupted = true
                break
            }
            var part = iovec(iov_base: buffer.baseAddress?.advanced(by: filled), iov_len: buffer.count - filled)
            let count = withUnsafeMutablePointer(to: &part) { part in
                message.msg_iov = part
                message.msg_iovlen = 1
                return retryingOnInterrupt { recvmsg(number, &message, 0) }
            }
            if count > 0 {
                filled += count
                messages += 1
                continue
            }
            if filled > 0 { break }
            if count == 0 { return .ended }
            if errno == ECONNRESET {
                wasReset = true
                return .ended
            }
            if errno == EAGAIN { return .wouldBlock }
            throw SystemError("recvmsg")
        } while message.msg_flags & Int32(MSG_CTRUNC) != 0 && filled < buffer.count
        return .bytes(filled)
    }

    package func write(_ bytes: Span<UInt8>) throws(SystemError) -> Outcome {
        let count = bytes.withUnsafeBytes { buffer in
            retryingOnInterrupt { send(number, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL)) }
        }
        if count >= 0 { return .bytes(count) }
        if errno == EAGAIN { return .wouldBlock }
        if errno == ECONNRESET { wasReset = true }
        if errno == EPIPE || errno == ECONNRESET { return .ended }
        throw SystemError("send")
    }
}
