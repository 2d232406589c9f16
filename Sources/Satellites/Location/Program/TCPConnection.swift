// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// A connection over TCP that blocks its thread only while it is made.
final class TCPConnection: Sendable {
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

    /// The time in seconds to wait for a host that does not answer.
    private static let patience = 10

    private static let bufferSize = 16_384

    private let descriptor: OwnedDescriptor

    /// Connects to the first address of the host that accepts in time, or throws the failure of the last.
    init(to endpoint: Endpoint) throws(Failure) {
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
                descriptor = try Self.connected(to: address)
                return
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func connected(to address: addrinfo) throws(Failure) -> OwnedDescriptor {
        let number = socket(address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), address.ai_protocol)
        guard number >= 0 else { throw Failure("socket", code: errno) }
        let descriptor = OwnedDescriptor(number)
        // Limits the wait of connect(2), too; see socket(7).
        var patience = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard connect(number, address.ai_addr, address.ai_addrlen) == 0 else {
            throw Failure("connect", code: errno == EINPROGRESS ? ETIMEDOUT : errno)
        }
        keepAlive(number)
        return descriptor
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

    /// The descriptor, borrowed for the lifetime of the connection.
    var number: Int32 { descriptor.number }

    /// Sends a few bytes; a new connection has room for them.
    func send(_ bytes: [UInt8]) throws(Failure) {
        guard
            Glibc.send(descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) == bytes.count
        else {
            throw Failure("send", code: errno)
        }
    }

    /// Returns the bytes that have arrived; throws at the end of the stream.
    func receive() throws(Failure) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
        let received = recv(descriptor.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if received > 0 { return Array(buffer[..<received]) }
        if received == 0 { throw Failure("closed the connection") }
        guard errno == EAGAIN || errno == EINTR else {
            throw Failure("closed the connection: \(String(cString: strerror(errno)))")
        }
        return []
    }
}
