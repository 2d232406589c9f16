// SPDX-License-Identifier: Apache-2.0

/// The failure of an operation on a fleet: the operation, its subject and the reason.
package struct FleetError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: Sendable {
        /// A device, group, aspect, topic or address is invalid.
        case invalidName
        /// A message of a broker was ignored.
        case invalidMessage
        case invalidConfiguration
        /// The broker cannot be reached, or the connection to it was lost.
        case unreachable
        /// The certificate of the broker or of this client was rejected, or a file of TLS cannot be used.
        case tls
        /// The broker refused the client, a topic or a message.
        case refused
        /// A file of positions cannot be used.
        case positions
    }

    /// The kind of failure.
    package let code: Code
    /// The complete description.
    package let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

extension String {
    /// The text with control characters escaped, at most 80 of its characters, for messages that quote a peer.
    package var escaped: String {
        let longest = 80
        var text = ""
        for scalar in unicodeScalars.prefix(longest) {
            text += scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return unicodeScalars.count > longest ? text + "…" : text
    }
}
