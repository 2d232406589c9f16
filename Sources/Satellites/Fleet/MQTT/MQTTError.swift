// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Why a connection to a broker cannot be used: what was tried, on which broker, and the reason.
package struct MQTTError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error.
    package enum Kind: Sendable, Hashable {
        /// The broker cannot be reached or does not answer.
        case unreachable
        /// A certificate was rejected, or a file of TLS cannot be used.
        case tls
        /// The broker refuses the client, or a request of it.
        case refused
        /// Another client with the same identifier has connected.
        case takenOver
        /// The connection was lost.
        case lost
        /// The broker sent something that MQTT does not permit, or the request cannot be sent.
        case `protocol`
    }

    /// The kind of error.
    package let kind: Kind
    /// The complete description.
    package let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
