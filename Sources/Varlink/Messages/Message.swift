// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What calls and replies have in common: an object of known members, and a NUL byte at its end.
enum Message {
    /// Reads the members of a message.
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

    /// Reads `parameters`; `null` is the same as none.
    static func parameters(_ member: JSONObject.Member) throws(VarlinkError) -> JSONObject {
        switch member.value {
        case .object(let object): return object
        case .null: return [:]
        default: throw .wrongType(member: member.name)
        }
    }

    /// Passes over what a vendor has added, the name of which has a dot; nobody else may add members.
    static func ignore(_ member: JSONObject.Member) throws(VarlinkError) {
        guard member.name.utf8.contains(UInt8(ascii: ".")) else { throw .unknownMember(member.name) }
    }
}
