// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Call {
    /// Parses a call, without checking whether the method exists.
    ///
    /// - Parameter frame: The message without its NUL.
    /// - Throws: ``VarlinkError`` if the message is not a valid call.
    public init(parsing frame: [UInt8]) throws(VarlinkError) {
        var method: String?
        var parameters: JSONObject = [:]
        var oneway = false
        var more = false
        var upgrade = false
        for member in try Message.members(parsing: frame) {
            switch member.name {
            case "method":
                guard case .string(let name) = member.value else { throw .wrongType(member: member.name) }
                method = name
            case "parameters": parameters = try Message.parameters(member)
            case "oneway": oneway = try Call.flag(member)
            case "more": more = try Call.flag(member)
            case "upgrade": upgrade = try Call.flag(member)
            default: try Message.ignore(member)
            }
        }
        guard let method else { throw .missingMethod }
        let mode = try Call.mode(oneway: oneway, more: more, upgrade: upgrade)
        self.init(method: method, parameters: parameters, mode: mode)
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

    /// Parses one of the three flags.
    ///
    /// `null` is rejected: a flag decides whether the call gets a reply at all, so its value is not guessed.
    private static func flag(_ member: JSONObject.Member) throws(VarlinkError) -> Bool {
        guard case .bool(let flag) = member.value else { throw .wrongType(member: member.name) }
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
