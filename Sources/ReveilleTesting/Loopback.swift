// SPDX-License-Identifier: Apache-2.0

package import Glibc
import ReveilleSystem

/// Ports of 127.0.0.1, for servers that tests and benchmarks start.
package enum Loopback {
    /// The ports that Linux does not give to clients by default (`ip_local_port_range`).
    ///
    /// On the others, a client that connects to its own port is connected to itself, and blocks the port for a server.
    private static let ports: ClosedRange<UInt16> = 10_000...32_767
    private static let attempts = 100

    /// Returns a port that nothing listens on; another program may take it before its server does.
    package static func freePort() throws(TestbedError) -> UInt16 {
        var code = EADDRINUSE
        for port in (0..<attempts).map({ _ in UInt16.random(in: ports) }) {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(descriptor) }
            if withAddress(port: port, { bind(descriptor, $0, $1) }) == 0 { return port }
            code = errno
        }
        throw TestbedError("\(SystemError("bind", on: "127.0.0.1", code: code))")
    }

    package static func accepts(port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        return withAddress(port: port) { connect(descriptor, $0, $1) } == 0
    }

    /// Calls a function such as `connect` with the address of a port.
    package static func withAddress(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
