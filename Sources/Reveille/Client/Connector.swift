// SPDX-License-Identifier: Apache-2.0

package import ReveilleSystem

/// How the connections on one loop reach a bus.
package struct Connector {
    package let loop: EventLoop
    package var patience: Patience
    /// Connects to the bus, without waiting for room in the listener's queue.
    let connect: () throws(ReveilleError) -> UnixStream
}

extension Connector {
    /// Creates a connector that looks the bus of an address (`nil` for the usual one) up for each connection.
    ///
    /// There need not be a bus yet.
    package init(loop: EventLoop, address: String?) throws(ReveilleError) {
        _ = try BusAddress.toServe(address)
        self.init(loop: loop, patience: Patience()) { () throws(ReveilleError) in
            try Self.open(try BusAddress.resolve(address))
        }
    }

    /// Connects to a bus at once: only the loop may block the thread.
    static func open(_ address: UnixAddress) throws(ReveilleError) -> UnixStream {
        try ReveilleError.reaching { () throws(SystemError) in try UnixStream(connectingTo: address, atMost: .zero) }
    }
}
