// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CReveilleLinux
import Glibc

/// What a service needs of a connection's stream of bytes; ``UnixStream`` is the kernel's.
package protocol ByteStream: AnyObject {
    /// The descriptor, borrowed for as long as the stream lives.
    var number: Int32 { get }
    /// Whether the peer has read everything that was ever written: the unread gate.
    var isAllRead: Bool { get }
    /// The credentials of the process that connected.
    func peer() throws(SystemError) -> UnixStream.Peer
    /// Reads what is there into a buffer.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> UnixStream.Outcome
    /// Writes as much as there is room for.
    func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> UnixStream.Outcome
}

/// One end of a connection, never blocking.
package final class UnixStream: ByteStream {
    private let descriptor: OwnedDescriptor

    /// What a read or a write came to.
    package enum Outcome: Sendable, Hashable {
        /// So many bytes were moved, at least one.
        case bytes(Int)
        /// Nothing can be moved now.
        case wouldBlock
        /// The peer is gone, or will write no more.
        case ended
    }

    /// The process that connected, by SO_PEERCRED.
    package struct Peer: Sendable, Hashable {
        /// Its process id, as this process sees it.
        package var pid: Int32
        /// Its effective user.
        package var uid: UInt32

        /// Makes credentials of their parts.
        package init(pid: Int32, uid: UInt32) {
            self.pid = pid
            self.uid = uid
        }
    }

    /// Takes over a connected, non-blocking socket.
    package init(_ descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
    }

    /// Takes a connection that a supervisor handed over.
    package convenience init(inherited number: Int32) throws(SystemError) {
        let descriptor = OwnedDescriptor(number)
        guard fcntl(number, F_SETFL, O_NONBLOCK) == 0 else { throw SystemError("fcntl") }
        self.init(descriptor)
    }

    /// How long a program that has no loop waits for room in a listener's queue: as long as for an answer.
    package static let connectPatience: Duration = .seconds(10)

    /// Connects to a listening socket.
    ///
    /// - Parameters:
    ///   - address: Where somebody listens.
    ///   - patience: How long to wait while the queue of connections that wait to be accepted is full. No descriptor
    ///     tells when there is room, so a loop passes zero, and tries again later.
    /// - Throws: `SystemError`, with `EAGAIN` where the queue was full all the time.
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
            // A signal ends the wait; what is left of it counts.
            guard errno == EINTR else { throw SystemError("connect", on: address.path) }
        }
        guard fcntl(number, F_SETFL, O_NONBLOCK) == 0 else { throw SystemError("fcntl", on: address.path) }
        self.init(descriptor)
    }

    /// Has connect(2) give up at a time, by the timeout for sending (unix(7)); at once where it has passed.
    private static func limitWait(of number: Int32, until deadline: ContinuousClock.Instant) throws(SystemError) {
        let (seconds, attoseconds) = (deadline - ContinuousClock.now).components
        let microseconds = attoseconds / 1_000_000_000_000
        // A timeout of zero would be none.
        guard seconds > 0 || microseconds > 0 else {
            guard fcntl(number, F_SETFL, O_NONBLOCK) == 0 else { throw SystemError("fcntl") }
            return
        }
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(microseconds))
        guard setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size)) == 0 else {
            throw SystemError("setsockopt SO_SNDTIMEO")
        }
    }

    /// Makes two ends of one connection in this process.
    package static func pair() throws(SystemError) -> (UnixStream, UnixStream) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError("socketpair") }
        return (UnixStream(OwnedDescriptor(ends[0])), UnixStream(OwnedDescriptor(ends[1])))
    }

    /// The descriptor, borrowed for as long as the stream lives.
    package var number: Int32 { descriptor.number }

    /// The credentials of the process that connected.
    package func peer() throws(SystemError) -> Peer {
        var pid: pid_t = 0
        var uid: uid_t = 0
        guard c_reveille_peer_credentials(number, &pid, &uid) == 0 else { throw SystemError("getsockopt SO_PEERCRED") }
        return Peer(pid: pid, uid: uid)
    }

    /// Whether the peer has read everything that was ever written: the unread gate.
    ///
    /// The kernel counts the memory of what waits, some hundred bytes for the shortest message. A full read is
    /// told by an edge of `EPOLLOUT`.
    package var isAllRead: Bool {
        var waiting: Int32 = 0
        // 1 is nothing as well: as a message is freed, the kernel keeps back a single byte of its count until
        // it has told of the room (sock_wfree). Who is told on another processor may ask in between, and no
        // other edge would ever come.
        return c_reveille_unread(number, &waiting) == 0 && waiting <= 1
    }

    /// Reads what is there into a buffer.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Outcome {
        let count = retryingOnInterrupt { recv(number, buffer.baseAddress, buffer.count, 0) }
        if count > 0 { return .bytes(count) }
        if count == 0 || errno == ECONNRESET { return .ended }
        if errno == EAGAIN { return .wouldBlock }
        throw SystemError("recv")
    }

    /// Writes as much as there is room for.
    package func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Outcome {
        let count = bytes.withUnsafeBytes { buffer in
            retryingOnInterrupt { send(number, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL)) }
        }
        if count >= 0 { return .bytes(count) }
        if errno == EAGAIN { return .wouldBlock }
        if errno == EPIPE || errno == ECONNRESET { return .ended }
        throw SystemError("send")
    }
}
