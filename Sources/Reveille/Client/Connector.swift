// SPDX-License-Identifier: Apache-2.0

package import ReveilleSystem

/// How the connections on one loop reach a bus.
package struct Connector {
    /// The loop.
    package let loop: EventLoop
    /// How long to wait for the connection, and for replies.
    package var patience: Patience
    /// Connects to the bus, without waiting for room in the listener's queue.
    let connect: () throws(ReveilleError) -> UnixStream

    /// Creates a connector.
    init(loop: EventLoop, patience: Patience, connect: @escaping () throws(ReveilleError) -> UnixStream) {
        self.loop = loop
        self.patience = patience
        self.connect = connect
    }

    /// Creates a connector that looks the bus of an address up for each connection; there need not be a bus yet.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - address: `unix:PATH`; `nil` for the usual address.
    /// - Throws: `ReveilleError` for an invalid address.
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
