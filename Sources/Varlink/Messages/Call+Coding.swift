// SPDX-License-Identifier: Apache-2.0

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
