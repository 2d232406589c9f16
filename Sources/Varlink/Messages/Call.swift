// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What a client sends: a method to call, and how it wants to be answered.
public struct Call: Sendable, Hashable {
    /// How many replies a call has.
    public enum Mode: Sendable, Hashable {
        /// One.
        case plain
        /// Any number, each but the last with `continues`.
        case more
        /// None, not even an error.
        case oneway
        /// One, after which the connection belongs to another protocol.
        case upgrade
    }

    /// The method with its interface, as `org.example.Interface.Method`.
    public var method: String
    /// What goes in; none is the same as `null`.
    public var parameters: JSONObject
    /// How the call is to be answered.
    public var mode: Mode

    /// Makes a call.
    ///
    /// - Parameters:
    ///   - method: The method with its interface.
    ///   - parameters: What goes in.
    ///   - mode: How the call is to be answered.
    public init(method: String, parameters: JSONObject = [:], mode: Mode = .plain) {
        self.method = method
        self.parameters = parameters
        self.mode = mode
    }

    /// The part of the method in front of its last dot; empty when there is none.
    public var interface: String {
        String(method[..<(lastDot ?? method.startIndex)])
    }

    /// The part of the method behind its last dot; all of it when there is none.
    public var member: String {
        String(method[(lastDot.map(method.utf8.index(after:)) ?? method.startIndex)...])
    }

    /// By bytes: to look back for a character takes the square of some texts' length.
    private var lastDot: String.Index? { method.utf8.lastIndex(of: UInt8(ascii: ".")) }
}
