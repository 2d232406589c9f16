// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleFleetCore
import ReveilleMQTT

/// How a broker is reached, and the identity that is shown to it.
package struct BrokerAccess: Sendable, Hashable {
    /// The broker.
    package var address: BrokerAddress
    /// The file of certificates that may sign that of the broker; `nil` for those of this system.
    package var ca: String?
    /// The file of the certificate that is shown to the broker.
    package var certificate: String?
    /// The file of the certificate's private key.
    package var key: String?
    /// The user, if the broker does not take it from the certificate.
    package var user: String?
    /// The user's password.
    package var password: String?

    /// Creates an access without an identity.
    package init(_ address: BrokerAddress) { self.address = address }

    /// Returns options for a connection that leaves nothing behind on the broker.
    func options(clientID: String) -> MQTTConnection.Options {
        var options = MQTTConnection.Options(broker: endpoint, clientID: clientID)
        (options.user, options.password) = (user, password)
        return options
    }

    private var endpoint: MQTTConnection.Endpoint {
        switch address.endpoint {
        case .unix(let path): .unix(path)
        case .tcp(let host, let port, isTLS: false): .tcp(host: host, port: port, tls: nil)
        case .tcp(let host, let port, isTLS: true):
            .tcp(host: host, port: port, tls: MQTTConnection.TLS(ca: ca, certificate: certificate, key: key))
        }
    }
}

extension FleetError {
    /// Creates the error of a connection.
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
