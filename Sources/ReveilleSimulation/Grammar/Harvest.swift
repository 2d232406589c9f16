// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// Values from replies by field name, so that calls can refer to existing objects.
package struct Harvest {
    /// The number of recent values kept for each field; older ones are rarely useful.
    private static let limit = 16

    private var values: [String: [JSON]] = [:]

    /// Creates an empty harvest.
    package init() {}

    /// The values of a field, with the newest last.
    package subscript(field: String) -> [JSON] { values[field] ?? [] }

    /// Adds the values of a reply.
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
