// SPDX-License-Identifier: Apache-2.0

/// The failure of a connection to a broker: the operation, the broker and the reason.
package struct MQTTError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        /// The broker cannot be reached or does not answer.
        case unreachable
        /// A certificate was rejected, or a file of TLS cannot be used.
        case tls
        /// The broker refuses the client.
        case refused
        /// Another client with the same identifier has connected.
        case takenOver
        /// The connection was lost.
        case lost
        /// The broker violated MQTT, or the options are invalid.
        case `protocol`
    }

    package let kind: Kind
    package let description: String

    init(_ kind: Kind, _ reason: String, of broker: MQTTConnection.Endpoint, isConnected: Bool) {
        self.kind = kind
        description = "\(isConnected ? "connection" : "connecting") to \(broker): \(reason)"
    }
}
