// SPDX-License-Identifier: Apache-2.0

/// A reply to a call, as a service sends it.
public struct Reply: Sendable, Hashable {
    /// The results, or the details of an error, where an empty object is equivalent to `null`.
    public var parameters: JSONObject
    /// Whether more replies to the call follow.
    public var continues: Bool
    /// The name of the error with its interface, or `nil` if the call succeeded.
    public var error: String?

    /// Creates the reply to a successful call.
    public init(parameters: JSONObject = [:], continues: Bool = false) {
        self.parameters = parameters
        self.continues = continues
        error = nil
    }

    /// Creates the reply to a failed call, which is always the last one.
    public init(_ error: CallError) {
        parameters = error.details
        continues = false
        self.error = error.name
    }
}

extension Reply {
    /// Parses a reply, which may be an error reply.
    ///
    /// - Parameter frame: The message without its NUL.
    /// - Throws: ``VarlinkError`` if the message is not a valid reply.
    public init(parsing frame: [UInt8]) throws(VarlinkError) {
        try self.init(Message.text(parsing: frame))
    }

    init(_ text: JSONText) throws(VarlinkError) {
        self.init()
        var member = 1
        while member < text.end(of: 0) {
            defer { member = text.end(of: member) }
            let value = text.nodes[member].value
            if text.isNamed(.parameters, at: member) {
                parameters = try Message.parameters(in: text, at: member).map { JSONObject(text, at: $0) } ?? [:]
            } else if text.isNamed(.continues, at: member) {
                switch value {
                case .bool(let value): continues = value
                case .null: break
                default: throw .wrongType(member: "continues")
                }
            } else if text.isNamed(.error, at: member) {
                switch value {
                case .string(let name): error = text.string(name)
                case .null: break
                default: throw .wrongType(member: "error")
                }
            } else {
                try Message.ignore(text, at: member)
            }
        }
        guard !continues || error == nil else { throw .continuingError }
    }

    /// Encodes the reply for sending, including its NUL, and omits members with default values.
    public func encoded() -> [UInt8] {
        guard let error else { return Self.encode(parameters: JSON.object(parameters).bytes, continues: continues) }
        var message: JSONObject = ["error": .string(error)]
        if !parameters.isEmpty { message["parameters"] = .object(parameters) }
        if continues { message["continues"] = true }
        return JSON.object(message).bytes + [0]
    }

    /// Encodes a reply around parameters that are already encoded and may be shared by many peers.
    ///
    /// - Parameters:
    ///   - parameters: A compact JSON object.
    ///   - continues: Whether more replies follow.
    /// - Returns: The bytes to send, including the NUL.
    public static func encode(parameters: [UInt8], continues: Bool) -> [UInt8] {
        encode(room: parameters.count, continues: continues) { $0.append(bytes: parameters.span) }
    }

    /// Encodes a reply whose parameters `write` appends as a compact JSON object.
    ///
    /// The bytes, with the NUL, use the memory of an array unless it is shared. If the parameters need more than `room`
    /// bytes, they are written again.
    package static func encode(
        reusing memory: consuming [UInt8] = [], room: Int? = nil, continues: Bool,
        parameters write: (inout OutputSpan<UInt8>) -> Void
    ) -> [UInt8] {
        var bytes = memory
        bytes.removeAll(keepingCapacity: true)
        bytes.appendText(room: room.map { $0 + 2 * ShortText.room }) { output in
            output.append(beginning)
            let start = output.count
            write(&output)
            if output.count - start == "{}".utf8.count {
                output.removeAll()
                output.append(continues ? emptyAndContinuing : emptyAndLast)
            } else {
                output.append(continues ? continuing : last)
            }
        }
        return bytes
    }

    private static let beginning = ShortText(#"{"parameters":"#)
    private static let continuing = ShortText(#","continues":true}\#0"#)
    private static let last = ShortText("}\0")
    private static let emptyAndContinuing = ShortText(#"{"continues":true}\#0"#)
    private static let emptyAndLast = ShortText("{}\0")
}
