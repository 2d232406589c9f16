// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// A socket through which the kernel reports its tables of links, addresses and routes (rtnetlink(7)).
package final class RouteSocket {
    package enum Table: CaseIterable, Sendable {
        case links, addresses, routesVersion4, routesVersion6
    }

    package enum Received: Sendable {
        case datagram([UInt8])
        /// The kernel's queue overflowed, or a datagram was too long; unknown messages were lost.
        case overflow
        case nothing
    }

    /// The size of the receive buffer: the longest datagram of a table (netlink(7) recommends 8 KiB at least).
    private static let bufferSize = 32 << 10

    private let descriptor: OwnedDescriptor

    /// A socket that listens receives changes, and not only the answers to requests.
    package init(isListening: Bool) throws(SystemError) {
        let number = c_reveille_route_socket(isListening ? 1 : 0)
        guard number >= 0 else { throw SystemError("socket", on: "rtnetlink") }
        descriptor = OwnedDescriptor(number)
    }

    /// The descriptor to wait on, owned by the socket.
    package var number: Int32 { descriptor.number }

    /// Requests a table; the datagrams of the answer can be received immediately.
    package func request(_ table: Table) throws(SystemError) {
        let result =
            switch table {
            case .links: c_reveille_route_request_links(number)
            case .addresses: c_reveille_route_request_addresses(number)
            case .routesVersion4: c_reveille_route_request_routes(number, 0)
            case .routesVersion6: c_reveille_route_request_routes(number, 1)
            }
        guard result == 0 else { throw SystemError("send", on: "rtnetlink") }
    }

    package func receive() throws(SystemError) -> Received {
        var result = 0
        let datagram = [UInt8](unsafeUninitializedCapacity: Self.bufferSize) { buffer, count in
            result = retryingOnInterrupt { c_reveille_route_receive(number, buffer.baseAddress, buffer.count) }
            count = min(max(0, result), buffer.count)
        }
        guard result < 0 else { return result > Self.bufferSize ? .overflow : .datagram(datagram) }
        switch errno {
        case ENOBUFS: return .overflow
        case EAGAIN: return .nothing
        default: throw SystemError("recvfrom", on: "rtnetlink")
        }
    }
}
