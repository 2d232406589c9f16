// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import Varlink

/// Values that were seen in replies, by the name of their field: with them calls hit what is there.
package struct Harvest {
    /// Of each field the newest; the older ones are rarely of any use.
    private static let limit = 16

    private var values: [String: [JSON]] = [:]

    /// Makes a harvest of nothing.
    package init() {}

    /// What was seen in a field, the newest last.
    package subscript(field: String) -> [JSON] { values[field] ?? [] }

    /// Takes the values of a reply.
    package mutating func take(_ object: JSONObject) {
        for member in object.members { take(member.value, of: member.name) }
    }

    private mutating func take(_ value: JSON, of field: String) {
        switch value {
        case .object(let object): take(object)
        case .array(let elements): for element in elements.prefix(Self.limit) { take(element, of: field) }
        case .null, .bool, .number: break
        case .integer, .string:
            var seen = values[field] ?? []
            seen.removeAll { $0 == value }
            seen.append(value)
            values[field] = seen.suffix(Self.limit)
        }
    }
}
