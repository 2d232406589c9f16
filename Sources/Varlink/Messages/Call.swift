// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A call of a method, as a client sends it.
public struct Call: Sendable, Hashable {
    /// The number of replies to a call.
    public enum Mode: Sendable, Hashable {
        /// One reply.
        case plain
        /// Any number of replies, each but the last with `continues`.
        case more
        /// No reply, not even an error.
        case oneway
        /// One reply, after which the connection uses another protocol.
        case upgrade
    }

    /// The method with its interface, such as `org.example.Interface.Method`.
    public var method: String
    /// The parameters, where an empty object is equivalent to `null`.
    public var parameters: JSONObject
    /// The number of expected replies.
    public var mode: Mode

    /// Creates a call.
    public init(method: String, parameters: JSONObject = [:], mode: Mode = .plain) {
        self.method = method
        self.parameters = parameters
        self.mode = mode
    }

    /// The part of the method before its last dot, or an empty string without a dot.
    public var interface: String {
        String(method[..<(lastDot ?? method.startIndex)])
    }

    /// The part of the method after its last dot, or the whole method without a dot.
    public var member: String {
        String(method[(lastDot.map(method.utf8.index(after:)) ?? method.startIndex)...])
    }

    /// Searches bytes, since a backward search for a character takes quadratic time in some texts.
    private var lastDot: String.Index? { method.utf8.lastIndex(of: UInt8(ascii: ".")) }
}
