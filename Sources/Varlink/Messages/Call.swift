// SPDX-License-Identifier: Apache-2.0

/// A call of a method, as a client sends it.
public struct Call: Sendable {
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

    /// The message of the call; only the method if it was not parsed.
    private let text: JSONText
    private let name: JSONText.Part

    /// The parameters, where an empty object is equivalent to `null`.
    public var parameters: JSONObject
    /// The number of expected replies.
    public var mode: Mode

    /// Creates a call.
    public init(method: String, parameters: JSONObject = [:], mode: Mode = .plain) {
        text = JSONText(bytes: Array(method.utf8), nodes: [])
        name = JSONText.Part(start: 0, end: text.bytes.count)
        self.parameters = parameters
        self.mode = mode
    }

    init(_ text: JSONText, method: JSONText.Part, parameters: Int?, mode: Mode) {
        self.text = text
        name = method
        self.parameters = parameters.map { JSONObject(text, at: $0) } ?? [:]
        self.mode = mode
    }

    /// The method with its interface, such as `org.example.Interface.Method`.
    public var method: String { text.string(name) }

    package func position(in methods: NameTable) -> Int? {
        text.position(of: name, in: methods)
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

extension Call: Hashable {
    /// Returns whether two calls have the same method, parameters and mode.
    public static func == (one: Call, other: Call) -> Bool {
        one.mode == other.mode && one.method == other.method && one.parameters == other.parameters
    }

    /// Adds the method, the parameters and the mode to a hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(parameters)
        hasher.combine(mode)
    }
}
