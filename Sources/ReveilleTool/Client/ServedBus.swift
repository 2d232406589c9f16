// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleSystem
import ReveilleWire
import Varlink

/// A bus that answers: its own description, and that of its process in /proc.
struct ServedBus {
    let address: UnixAddress
    let version: String?
    /// The process that serves it; `nil` if it cannot be seen.
    let process: ServingProcess?

    init(_ address: UnixAddress, over client: BlockingClient) throws(ReveilleError) {
        self.address = address
        process = client.server
        try client.send(.fence)
        let info = try client.receive()
        if let error = CallError(info) { throw ReveilleError(answered: error, to: "GetInfo") }
        version = info.parameters["version"]?.stringValue
    }

    /// The lines of a description.
    var facts: [(name: String, value: String)] {
        var facts = [("address", "\(address)"), ("version", version ?? "unknown")]
        if let process {
            facts += [
                ("uptime", "\(process.uptimeText), process \(process.pid)"),
                (
                    "configuration",
                    process.configuration ?? (process.isEnvironmentVisible ? "defaults" : "not visible to this user")
                ),
            ]
        }
        return facts
    }
}

extension BlockingClient {
    /// The process that serves the bus, which is not asked; `nil` if it cannot be seen.
    var server: ServingProcess? { peer.flatMap { ServingProcess($0.pid) } }
}
