// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Reply {
    /// Reads a reply.
    ///
    /// - Parameter frame: The message without its NUL.
    /// - Throws: ``VarlinkError`` when it is none. An error reply is read like any other.
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

    /// The reply as it is sent, NUL included; says nothing that goes without saying.
    ///
    /// - Returns: The bytes to send.
    public func encoded() -> [UInt8] {
        var message: JSONObject = [:]
        if let error {
            message["error"] = .string(error)
        }
        if !parameters.isEmpty {
            message["parameters"] = .object(parameters)
        }
        if continues {
            message["continues"] = true
        }
        return JSON.object(message).bytes + [0]
    }

    /// A reply as it is sent, around parameters that were written before.
    ///
    /// With it, parameters are written once for any number of peers.
    ///
    /// - Parameters:
    ///   - parameters: A JSON object in compact form.
    ///   - continues: Whether more replies follow.
    /// - Returns: The bytes to send, NUL included.
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
