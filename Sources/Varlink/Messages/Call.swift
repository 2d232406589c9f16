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
    private var given: Parameters

    private enum Parameters: Sendable {
        case object(JSONObject)
        /// The object at an index of the text.
        case parsed(at: Int)
    }

    /// The parameters, where an empty object is equivalent to `null`.
    public var parameters: JSONObject {
        get {
            switch given {
            case .object(let object): object
            case .parsed(let index): JSONObject(text, at: index)
            }
        }
        set { given = .object(newValue) }
    }

    /// The parameters as a part of a text.
    package var object: (text: JSONText, index: Int) {
        switch given {
        case .object(let object): object.text
        case .parsed(let index): (text, index)
        }
    }

    /// The number of expected replies.
    public var mode: Mode

    /// Creates a call.
    public init(method: String, parameters: JSONObject = [:], mode: Mode = .plain) {
        text = JSONText(bytes: Array(method.utf8), nodes: [])
        name = JSONText.Part(start: 0, end: text.bytes.count)
        given = .object(parameters)
        self.mode = mode
    }

    init(_ text: JSONText, method: JSONText.Part, parameters: Int?, mode: Mode) {
        self.text = text
        name = method
        given = parameters.map { .parsed(at: $0) } ?? .object([:])
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

extension Call {
    /// Parses a call, without checking whether the method exists.
    ///
    /// - Parameter frame: The message without its NUL.
    /// - Throws: ``VarlinkError`` if the message is not a valid call.
    public init(parsing frame: [UInt8]) throws(VarlinkError) {
        try self.init(Message.text(parsing: frame))
    }

    init(_ text: JSONText) throws(VarlinkError) {
        var method: JSONText.Part?
        var parameters: Int?
        var oneway = false
        var more = false
        var upgrade = false
        var member = 1
        while member < text.end(of: 0) {
            defer { member = text.end(of: member) }
            let value = text.nodes[member].value
            if text.isNamed(.method, at: member) {
                guard case .string(let name) = value else { throw .wrongType(member: "method") }
                method = name
            } else if text.isNamed(.parameters, at: member) {
                parameters = try Message.parameters(in: text, at: member)
            } else if text.isNamed(.oneway, at: member) {
                oneway = try Call.flag("oneway", value)
            } else if text.isNamed(.more, at: member) {
                more = try Call.flag("more", value)
            } else if text.isNamed(.upgrade, at: member) {
                upgrade = try Call.flag("upgrade", value)
            } else {
                try Message.ignore(text, at: member)
            }
        }
        guard let method else { throw .missingMethod }
        let mode = try Call.mode(oneway: oneway, more: more, upgrade: upgrade)
        self.init(text, method: method, parameters: parameters, mode: mode)
    }

    /// Encodes the call for sending, including its NUL, and omits members with default values.
    public func encoded() -> [UInt8] {
        var message: JSONObject = ["method": .string(method)]
        if !parameters.isEmpty { message["parameters"] = .object(parameters) }
        switch mode {
        case .plain: break
        case .more: message["more"] = true
        case .oneway: message["oneway"] = true
        case .upgrade: message["upgrade"] = true
        }
        return JSON.object(message).bytes + [0]
    }

    /// `null` is rejected: a flag decides whether the call gets a reply at all, so its value is not guessed.
    private static func flag(_ member: String, _ value: JSONText.Value) throws(VarlinkError) -> Bool {
        guard case .bool(let flag) = value else { throw .wrongType(member: member) }
        return flag
    }

    private static func mode(oneway: Bool, more: Bool, upgrade: Bool) throws(VarlinkError) -> Mode {
        switch (oneway, more, upgrade) {
        case (false, false, false): .plain
        case (true, false, false): .oneway
        case (false, true, false): .more
        case (false, false, true): .upgrade
        default: throw .conflictingModes
        }
    }
}
