// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Reply {
    /// Parses a reply, which may be an error reply.
    ///
    /// - Parameter frame: The message without its NUL.
    /// - Throws: ``VarlinkError`` if the message is not a valid reply.
    public init(parsing frame: [UInt8]) throws(VarlinkError) {
        self.init()
        for member in try Message.members(parsing: frame) {
            switch (member.name, member.value) {
            case ("parameters", _): parameters = try Message.parameters(member)
            case ("continues", .bool(let value)): continues = value
            case ("error", .string(let name)): error = name
            case ("continues", .null), ("error", .null): break
            case ("continues", _), ("error", _): throw .wrongType(member: member.name)
            default: try Message.ignore(member)
            }
        }
        guard !continues || error == nil else { throw .continuingError }
    }

    /// Encodes the reply for sending, including its NUL, and omits members with default values.
    public func encoded() -> [UInt8] {
        var message: JSONObject = [:]
        message["error"] = error.map { .string($0) }
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
        let isEmpty = parameters.count == "{}".utf8.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parameters.count + 34)
        bytes.append(UInt8(ascii: "{"))
        if !isEmpty {
            bytes.append(contentsOf: #""parameters":"#.utf8)
            bytes.append(contentsOf: parameters)
        }
        if continues {
            bytes.append(contentsOf: (isEmpty ? #""continues":true"# : #","continues":true"#).utf8)
        }
        bytes.append(UInt8(ascii: "}"))
        bytes.append(0)
        return bytes
    }
}
