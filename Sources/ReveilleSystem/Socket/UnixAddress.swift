// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// The address of a socket in the file system, such as `unix:/run/reveille/org.reveille.Bus`.
package struct UnixAddress: Sendable, Hashable, CustomStringConvertible {
    /// The usual path of the system's bus.
    package static let systemBusPath = "/run" + busName
    private static let busName = "/reveille/org.reveille.Bus"

    /// The usual path of this user's own bus; for root, the system's.
    package static var ownBusPath: String {
        guard geteuid() != 0 else { return systemBusPath }
        // The XDG Base Directory Specification requires relative paths to be ignored.
        let directory = Environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (directory ?? "/run/user/\(geteuid())") + busName
    }

    package let path: String

    package struct Invalid: Error, CustomStringConvertible {
        package let description: String
    }

    /// Parses `unix:PATH` with an absolute path, ignoring properties after `;`.
    ///
    /// Abstract sockets have no file mode, and TCP has no credentials.
    package init(_ text: String) throws(Invalid) {
        guard text.utf8.starts(with: "unix:".utf8) else {
            throw Invalid(description: "\(text): address must start with unix:, as in unix:/run/user/1000/bus")
        }
        let path = String(Substring(text.utf8.dropFirst("unix:".utf8.count).prefix { $0 != UInt8(ascii: ";") }))
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw Invalid(description: "\(text): socket path must be absolute")
        }
        guard !path.utf8.contains(0), path.utf8.count <= Self.pathLimit else {
            throw Invalid(description: "\(text): socket path must not exceed \(Self.pathLimit) bytes")
        }
        self.path = path
    }

    /// The address of a bound socket, or `nil` if the socket has no path.
    init?(boundTo descriptor: Int32) {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        // A path of maximum length has no terminating NUL.
        let path = withUnsafeBytes(of: &address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        guard path.hasPrefix("/") else { return nil }
        self.path = path
    }

    /// The size of `sun_path` without its terminating NUL (unix(7)).
    package static let pathLimit = 107

    package var description: String { "unix:" + path }

    /// Calls a closure with the address in the kernel's format.
    package func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
