// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// A connection over TCP that blocks up to a deadline.
final class TCPConnection {
    /// The reason why a connection cannot be used, as a clause about the peer.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }

        init(_ operation: String, code: Int32) {
            description = "cannot be reached: \(operation): \(String(cString: strerror(code)))"
        }
    }

    /// The time to wait for a host that does not answer.
    private static let patience: Duration = .seconds(10)

    private let descriptor: OwnedDescriptor
    private var buffer = [UInt8](repeating: 0, count: 16_384)

    /// Connects to the first address of the host that accepts in time, or throws the failure of the last.
    init(to endpoint: Endpoint, until deadline: ContinuousClock.Instant?) throws(Failure) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(endpoint.host, String(endpoint.port), &hints, &list)
        guard result == 0 else { throw Failure("cannot be reached: \(String(cString: gai_strerror(result)))") }
        defer { freeaddrinfo(list) }
        var failure = Failure("has no address")
        for address in sequence(first: list, next: { $0?.pointee.ai_next }).prefix(while: { $0 != nil }) {
            guard let address = address?.pointee else { break }
            do throws(Failure) {
                let patience = min(Self.patience, deadline.map { max(.zero, $0 - .now) } ?? Self.patience)
                descriptor = try Self.connected(to: address, atMost: patience)
                return
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func connected(to address: addrinfo, atMost patience: Duration) throws(Failure) -> OwnedDescriptor {
        let type = address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let number = socket(address.ai_family, type, address.ai_protocol)
        guard number >= 0 else { throw Failure("socket", code: errno) }
        let descriptor = OwnedDescriptor(number)
        if connect(number, address.ai_addr, address.ai_addrlen) != 0 {
            guard errno == EINPROGRESS else { throw Failure("connect", code: errno) }
            guard try wait(for: .writable, on: number, atMost: patience) else {
                throw Failure("connect", code: ETIMEDOUT)
            }
            let code = option(SO_ERROR, of: number)
            guard code == 0 else { throw Failure("connect", code: code) }
        }
        keepAlive(number)
        return descriptor
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : errno
    }

    /// Has the kernel detect within a minute that a remote host is gone; a failure only delays the detection.
    private static func keepAlive(_ descriptor: Int32) {
        let size = socklen_t(MemoryLayout<Int32>.size)
        var (on, idle, interval, count): (Int32, Int32, Int32, Int32) = (1, 30, 10, 3)
        setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, &idle, size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, &interval, size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, &count, size)
    }

    private static func wait(
        for direction: Readiness.Direction, on descriptor: Int32, atMost patience: Duration
    ) throws(Failure) -> Bool {
        try Result { () throws(SystemError) in try Readiness.wait(descriptor, for: direction, atMost: patience) }
            .mapError { Failure("poll", code: $0.code) }.get()
    }

    /// Sends a few bytes; a new connection has room for them.
    func send(_ bytes: [UInt8]) throws(Failure) {
        guard Glibc.send(descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw Failure("send", code: errno)
        }
    }

    /// Waits for bytes, until a deadline or a wake-up, after which there may be none; throws also at the end of the stream.
    func receive(until deadline: ContinuousClock.Instant?, or wake: Pipe) throws(Failure) -> [UInt8] {
        let left = deadline.map { max(.zero, $0 - .now) / .milliseconds(1) } ?? -1
        var waits = [descriptor.number, wake.readingEnd].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let count = poll(&waits, 2, left < 0 ? -1 : Int32(min(left.rounded(.up), Double(Int32.max))))
        guard count >= 0 || errno == EINTR else { throw Failure("poll", code: errno) }
        if waits[1].revents != 0 { wake.drain() }
        guard waits[0].revents != 0 else { return [] }
        let received = recv(descriptor.number, &buffer, buffer.count, 0)
        if received > 0 { return Array(buffer[..<received]) }
        if received == 0 { throw Failure("closed the connection") }
        guard errno == EAGAIN || errno == EINTR else {
            throw Failure("closed the connection: \(String(cString: strerror(errno)))")
        }
        return []
    }
}
