// SPDX-License-Identifier: Apache-2.0

/// The failure of an operation on a fleet: the operation, its subject and the reason.
public struct FleetError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; a later version may have further ones.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// A device, group, aspect, topic or address is invalid.
        public static let invalidName = Code("invalidName")
        /// A message of a broker was ignored.
        public static let invalidMessage = Code("invalidMessage")
        /// A configuration is invalid.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// The broker cannot be reached, or the connection to it was lost.
        public static let unreachable = Code("unreachable")
        /// The certificate of the broker or of this client was rejected, or a file of TLS cannot be used.
        public static let tls = Code("tls")
        /// The broker refused the client, a topic or a message.
        public static let refused = Code("refused")
        /// A file of positions cannot be used.
        public static let positions = Code("positions")
        /// A value does not have the expected type.
        public static let unexpectedValue = Code("unexpectedValue")

        private init(_ description: String) { self.description = description }
    }

    /// The kind of failure.
    public let code: Code
    /// The complete description.
    public let description: String

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
