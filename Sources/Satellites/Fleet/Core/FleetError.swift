// SPDX-License-Identifier: Apache-2.0

/// The failure of an operation on a fleet: the operation, its subject and the reason.
package struct FleetError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; a later version may have further ones.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind.
        package let description: String

        /// A device, group, aspect, topic or address is invalid.
        package static let invalidName = Code("invalidName")
        /// A message of a broker was ignored.
        package static let invalidMessage = Code("invalidMessage")
        /// A configuration is invalid.
        package static let invalidConfiguration = Code("invalidConfiguration")
        /// The broker cannot be reached, or the connection to it was lost.
        package static let unreachable = Code("unreachable")
        /// The certificate of the broker or of this client was rejected, or a file of TLS cannot be used.
        package static let tls = Code("tls")
        /// The broker refused the client, a topic or a message.
        package static let refused = Code("refused")
        /// A file of positions cannot be used.
        package static let positions = Code("positions")
        /// A value does not have the expected type.
        package static let unexpectedValue = Code("unexpectedValue")

        private init(_ description: String) { self.description = description }
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
