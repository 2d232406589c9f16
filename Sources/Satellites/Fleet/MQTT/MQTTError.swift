// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import ReveilleFleetCore

/// The failure of a connection to a broker: the operation, the broker and the reason.
package struct MQTTError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        /// The broker cannot be reached or does not answer.
        case unreachable
        /// A certificate was rejected, or a file of TLS cannot be used.
        case tls
        case refused
        /// Another client with the same identifier has connected.
        case takenOver
        case lost
        /// The broker violated MQTT, or the options are invalid.
        case `protocol`
    }

    package let kind: Kind
    package let description: String

    init(_ kind: Kind, _ reason: String, of broker: FleetBroker, isConnected: Bool) {
        self.kind = kind
        description = "\(isConnected ? "connection" : "connecting") to \(broker): \(reason)"
    }
}

/// The reason codes of MQTT 5 (section 2.4); codes from 0x80 are errors.
package enum ReasonCode {
    package static let takenOver: UInt8 = 0x8E
    /// The topic rules of the broker do not permit the request.
    package static let notAuthorized: UInt8 = 0x87
    static let unsupportedVersion: UInt8 = 0x84
    static let invalidTopic: UInt8 = 0x90
    static let tooLarge: UInt8 = 0x95

    package static func isError(_ code: UInt8) -> Bool { code >= 0x80 }

    package static func text(_ code: UInt8) -> String {
        mosquitto_reason_string(Int32(code)).map { String(cString: $0).lowercased() } ?? ""
    }
}
