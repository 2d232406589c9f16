// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting

/// The address of a peer.
enum PeerAddress {
    /// A Unix socket.
    case unix(String)
    /// A port of 127.0.0.1.
    case loopback(UInt16)
}

/// A client's connection to a peer, which blocks.
final class PeerConnection {
    /// The maximum time for a step of a handshake, in seconds.
    private static let patience = 10

    /// The descriptor.
    let number: Int32

    init(_ address: PeerAddress) throws {
        let (family, name) =
            switch address {
            case .unix(let path): (AF_UNIX, path)
            case .loopback(let port): (AF_INET, "127.0.0.1:\(port)")
            }
        number = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw SystemError("socket") }
        var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        guard try connect(to: address) == 0 else {
            let code = errno
            close(number)
            throw SystemError("connect", on: name, code: code)
        }
    }

    deinit {
        close(number)
    }

    private func connect(to address: PeerAddress) throws -> Int32 {
        switch address {
        case .unix(let path):
            return try UnixAddress("unix:" + path).withSocketAddress { Glibc.connect(number, $0, $1) }
        case .loopback(let port):
            // Without this, the kernel may delay a short message until the previous one has been acknowledged.
            var yes: Int32 = 1
            setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
            return Loopback.withAddress(port: port) { Glibc.connect(number, $0, $1) }
        }
    }

    /// Sends all bytes.
    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw SystemError("send") }
            sent += count
        }
    }

    /// Sends a text.
    func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Receives a number of bytes.
    func receive(exactly count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            let step = bytes[received...].withUnsafeMutableBytes { recv(number, $0.baseAddress, $0.count, 0) }
            guard step > 0 else { throw step == 0 ? BenchError("a peer ended a connection") : SystemError("recv") }
            received += step
        }
        return bytes
    }

    /// Receives bytes until they end with a text, which is the end of a reply.
    @discardableResult
    func receive(through end: String) throws -> [UInt8] {
        let end = Array(end.utf8)
        var bytes: [UInt8] = []
        while !bytes.suffix(end.count).elementsEqual(end) { bytes += try receive(exactly: 1) }
        return bytes
    }
}
