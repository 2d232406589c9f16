// SPDX-License-Identifier: Apache-2.0

package import ReveilleFleetCore
package import ReveilleMQTT

/// A broker, and a password that has been read.
package struct FleetBroker: Sendable, Hashable, CustomStringConvertible {
    package let access: BrokerAccess
    private let password: String?

    package init(_ access: BrokerAccess, password: String? = nil) {
        self.access = access
        self.password = password
    }

    package var description: String { access.address.description }

    /// Returns options for a connection that leaves nothing behind on the broker.
    package func options(clientID: String) -> MQTTConnection.Options {
        var options = MQTTConnection.Options(broker: endpoint, clientID: clientID)
        options.user = access.user
        options.password = password
        return options
    }

    private var endpoint: MQTTConnection.Endpoint {
        switch access.address.endpoint {
        case .unix(let path): .unix(path)
        case .tcp(let host, let port, isTLS: false): .tcp(host: host, port: port, tls: nil)
        case .tcp(let host, let port, isTLS: true):
            .tcp(
                host: host, port: port,
                tls: MQTTConnection.TLS(ca: access.ca, certificate: access.certificate, key: access.key))
        }
    }
}

extension FleetError {
    init(_ error: MQTTError) {
        let code: Code =
            switch error.kind {
            case .unreachable, .lost: .unreachable
            case .tls: .tls
            case .refused, .takenOver, .protocol: .refused
            }
        self.init(code, error.description)
    }
}
