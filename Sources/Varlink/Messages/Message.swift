// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The common format of calls and replies: an object with known members, followed by a NUL byte.
enum Message {
    /// Parses the members of a message.
    static func members(parsing frame: [UInt8]) throws(VarlinkError) -> [JSONObject.Member] {
        let value: JSON
        do {
            value = try JSON.parse(frame)
        } catch {
            throw .json(error)
        }
        guard case .object(let object) = value else { throw .notAnObject }
        return object.members
    }

    /// Parses `parameters`, where `null` is equivalent to an empty object.
    static func parameters(_ member: JSONObject.Member) throws(VarlinkError) -> JSONObject {
        switch member.value {
        case .object(let object): return object
        case .null: return [:]
        default: throw .wrongType(member: member.name)
        }
    }

    /// Ignores a vendor's extension, whose name contains a dot; other unknown members are errors.
    static func ignore(_ member: JSONObject.Member) throws(VarlinkError) {
        guard member.name.utf8.contains(UInt8(ascii: ".")) else { throw .unknownMember(member.name) }
    }
}
