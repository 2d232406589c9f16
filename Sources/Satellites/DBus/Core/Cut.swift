// SPDX-License-Identifier: Apache-2.0

import Varlink

/// The limit on the size of a published value: its longest members are `null`, and another member lists them.
enum Cut {
    /// The member with the names of what was cut.
    static let member = "cut"
    /// The most parts of a value that are cut one by one: cutting must cost little.
    private static let limit = 8

    /// Returns an object of at most a number of bytes; some of its members may have been cut before.
    static func fit(_ object: JSONObject, into size: Int, cutBefore: [String] = []) -> JSONObject {
        var (object, cut) = (object, cutBefore)
        while true {
            var result = object
            if !cut.isEmpty { result[member] = .array(cut.map { .string($0) }) }
            guard JSON.object(result).bytes.count > size else { return result }
            guard let name = remove(from: &object, isDeep: cut.count < limit) else { return [member: true] }
            cut.append(name)
        }
    }

    /// Removes the longest member, or the longest of that if it is an object; `nil` if nothing is left.
    private static func remove(from object: inout JSONObject, isDeep: Bool) -> String? {
        let longest = object.members.filter { !$0.value.isNull }.max { $0.value.bytes.count < $1.value.bytes.count }
        guard let longest else { return nil }
        if isDeep, var inner = longest.value.objectValue,
            let name = remove(from: &inner, isDeep: inner.members.count > 1)
        {
            object[longest.name] = .object(inner)
            return longest.name + "." + name
        }
        object[longest.name] = .null
        return longest.name
    }
}
