// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The reason codes of MQTT 5 (section 2.4), of which those from 0x80 are errors.
package enum ReasonCode {
    /// Another client with the same identifier has connected.
    package static let takenOver: UInt8 = 0x8E
    /// The topic rules of the broker do not permit the request.
    package static let notAuthorized: UInt8 = 0x87

    /// Returns whether a code is that of an error.
    package static func isError(_ code: UInt8) -> Bool { code >= 0x80 }

    /// Returns an error in words, as the standard names it.
    package static func text(_ code: UInt8) -> String {
        texts[code] ?? "reason code 0x\(String(code, radix: 16, uppercase: true))"
    }

    private static let texts: [UInt8: String] = [
        0x80: "unspecified error", 0x81: "malformed packet", 0x82: "protocol error",
        0x83: "implementation specific error", 0x84: "unsupported protocol version",
        0x85: "client identifier not valid", 0x86: "bad user name or password", 0x87: "not authorized",
        0x88: "server unavailable", 0x89: "server busy", 0x8A: "banned", 0x8B: "server shutting down",
        0x8C: "bad authentication method", 0x8D: "keep alive timeout", 0x8E: "session taken over",
        0x8F: "topic filter invalid", 0x90: "topic name invalid", 0x91: "packet identifier in use",
        0x92: "packet identifier not found", 0x93: "receive maximum exceeded", 0x94: "topic alias invalid",
        0x95: "packet too large", 0x96: "message rate too high", 0x97: "quota exceeded",
        0x98: "administrative action", 0x99: "payload format invalid", 0x9A: "retain not supported",
        0x9B: "QoS not supported", 0x9C: "use another server", 0x9D: "server moved",
        0x9E: "shared subscriptions not supported", 0x9F: "connection rate exceeded",
        0xA0: "maximum connect time", 0xA1: "subscription identifiers not supported",
        0xA2: "wildcard subscriptions not supported",
    ]
}
