// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// The listening sockets of the page: one for each loopback address.
struct Listener: ~Copyable {
    /// The connections that wait to be accepted: as many as a browser opens at once, and some more.
    private static let backlog: Int32 = 64
    /// How often to look for a port that is free on both addresses.
    private static let attempts = 8
    /// The size in bytes of the kernel's buffer for a connection: events in the buffer can no longer be merged.
    private static let sendBuffer: Int32 = 16 << 10

    /// The sockets, which are open until the process ends.
    let sockets: [Int32]
    let port: UInt16

    /// Listens at a port of 127.0.0.1 and, if the machine has IPv6, of ::1; 0 stands for any free port.
    init(port: UInt16) throws(SystemError) {
        var attempt = 1
        while true {
            let first = try Self.listen(family: AF_INET, port: port)
            let found = Self.port(of: first)
            do throws(SystemError) {
                let second = try Self.listen(family: AF_INET6, port: found)
                sockets = [first, second]
                self.port = found
                return
            } catch {
                if [EAFNOSUPPORT, EADDRNOTAVAIL].contains(error.code) {
                    sockets = [first]
                    self.port = found
                    return
                }
                close(first)
                attempt += 1
                // Another program has this port at the other address.
                guard port == 0, error.code == EADDRINUSE, attempt <= Self.attempts else { throw error }
            }
        }
    }

    static func accept(_ listener: Int32) throws(SystemError) -> Int32? {
        let number = retryingOnInterrupt { Glibc.accept(listener, nil, nil) }
        guard number >= 0 else {
            if [EAGAIN, ECONNABORTED].contains(errno) { return nil }
            throw SystemError("accept")
        }
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        var size = sendBuffer
        setsockopt(number, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        return number
    }

    private static func listen(family: Int32, port: UInt16) throws(SystemError) -> Int32 {
        let name = family == AF_INET ? "127.0.0.1:\(port)" : "[::1]:\(port)"
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let number = socket(family, type, 0)
        guard number >= 0 else { throw SystemError("socket", on: name) }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        // The port can be used again at once after a restart; two programs still cannot listen at the same time.
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if family == AF_INET6 { setsockopt(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
        let isBound = bind(number, family, port) == 0
        guard isBound, Glibc.listen(number, backlog) == 0 else {
            let error = SystemError(isBound ? "listen" : "bind", on: name)
            close(number)
            throw error
        }
        return number
    }

    private static func bind(_ number: Int32, _ family: Int32, _ port: UInt16) -> Int32 {
        func bind<Address>(_ address: Address) -> Int32 {
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.bind(number, $0, socklen_t(MemoryLayout<Address>.size))
                }
            }
        }
        if family == AF_INET {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            return bind(address)
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        return bind(address)
    }

    private static func port(of number: Int32) -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &size) }
        }
        return UInt16(bigEndian: address.sin_port)
    }
}
