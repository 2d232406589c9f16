// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
package import Reveille
package import ReveilleSystem
package import Varlink

/// The way to the bus, which is looked up again for each connection.
package struct BusRoute {
    /// The interface of the calls.
    package static let interface = "org.reveille.Bus"

    /// The loop of all connections.
    package let loop: EventLoop
    /// The address on the command line; `nil` for the usual one.
    private let address: String?

    /// Creates the way to a bus; there need not be one yet.
    ///
    /// - Throws: `ReveilleError` for an invalid address.
    package init(loop: EventLoop, address: String?) throws(ReveilleError) {
        self.loop = loop
        self.address = address
        _ = try BusAddress.toServe(address)
    }

    /// The connector for connections on the loop.
    package func connector(answeringWithin answer: Duration = Patience().answer) -> Connector {
        var patience = Patience()
        patience.answer = answer
        return Connector(loop: loop, patience: patience) { () throws(SystemError) in
            try UnixStream(connectingTo: try resolve(), atMost: .zero)
        }
    }

    private func resolve() throws(SystemError) -> UnixAddress {
        do throws(ReveilleError) {
            return try BusAddress.resolve(address)
        } catch {
            throw SystemError("connect", on: (try? BusAddress.toServe(address))?.path, code: ENOENT)
        }
    }

    /// Returns a call of a method of the bus.
    package static func call(_ method: String, _ parameters: JSONObject = [:], mode: Call.Mode = .plain) -> Call {
        Call(method: "\(interface).\(method)", parameters: parameters, mode: mode)
    }

    /// Describes why a connection could not be made.
    package static func description(_ error: SystemError) -> String {
        [ENOENT, ECONNREFUSED].contains(error.code)
            ? "there is no bus at unix:\(error.subject ?? "?"); is 'reveille serve' running?" : "\(error)"
    }
}
