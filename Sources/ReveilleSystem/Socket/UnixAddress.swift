// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// The address of a socket in the file system: `unix:/run/reveille/org.reveille.Bus`.
package struct UnixAddress: Sendable, Hashable, CustomStringConvertible {
    /// The socket's path.
    package let path: String

    /// Why a text is no address.
    package struct Invalid: Error, CustomStringConvertible {
        /// The text, and what is wrong with it.
        package let description: String
    }

    /// Reads an address; properties after `;` are not needed and passed over.
    ///
    /// - Parameter text: `unix:PATH`, with an absolute path of at most 107 bytes.
    /// - Throws: `Invalid`, with the reason. Abstract sockets have no file mode and TCP no credentials:
    ///   neither is taken.
    package init(_ text: String) throws(Invalid) {
        guard text.utf8.starts(with: "unix:".utf8) else {
            throw Invalid(description: "\(text): not an address; it starts with unix:, as in unix:/run/user/1000/bus")
        }
        let path = String(Substring(text.utf8.dropFirst("unix:".utf8.count).prefix { $0 != UInt8(ascii: ";") }))
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw Invalid(description: "\(text): the path of the socket must be absolute")
        }
        guard !path.utf8.contains(0), path.utf8.count <= Self.pathLimit else {
            throw Invalid(description: "\(text): the path of a socket has at most \(Self.pathLimit) bytes")
        }
        self.path = path
    }

    /// The address that a socket is bound to; `nil` for one without a path.
    init?(boundTo descriptor: Int32) {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        // A path as long as there is room has no NUL behind it.
        let path = withUnsafeBytes(of: &address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        guard path.hasPrefix("/") else { return nil }
        self.path = path
    }

    /// The size of `sun_path`, less the byte that ends it (unix(7)).
    package static let pathLimit = 107

    /// The address in the form it is read in.
    package var description: String { "unix:" + path }

    /// Calls with the address as the kernel wants it.
    func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
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
