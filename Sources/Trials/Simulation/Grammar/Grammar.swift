// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// A generator of calls to interfaces, from valid to absurd.
///
/// Everything is derived from the interfaces, so additions to an interface are called as well.
package struct Grammar {
    private struct Entry {
        let name: String
        let member: String
        let method: Interface.Method
        let types: [String: ValueType]
    }

    private let entries: [Entry]
    private let vocabulary: Vocabulary

    package init(_ interfaces: [Interface]) {
        vocabulary = Vocabulary(interfaces)
        entries = interfaces.flatMap { interface in
            interface.methods.sorted { $0.key < $1.key }.map {
                Entry(
                    name: interface.name + "." + $0.key, member: $0.key, method: $0.value, types: interface.types)
            }
        }
    }

    /// Returns the bytes of a generated call, which may use values from earlier replies.
    package func call(_ choices: Choices, harvest: Harvest) -> [UInt8] {
        let entry = choices.one(of: entries)
        var values = Values(
            types: entry.types, vocabulary: vocabulary, harvest: harvest, choices: choices,
            isAbsurd: choices.happens(onceIn: 5), member: entry.member)
        let parameters = values.structure(entry.method.input)
        var message: JSONObject = ["method": .string(name(entry.name, choices)), "parameters": parameters]
        // Streaming calls require `more`; others allow it.
        switch choices.number(below: 16) {
        case 0..<6: break
        case 6..<13: message["more"] = true
        case 13, 14: message["oneway"] = true
        default: message["upgrade"] = true
        }
        if choices.happens(onceIn: 64) { message[choices.one(of: ["more", "oneway", "continues", "x.vendor"])] = true }
        return JSON.object(message).bytes + [0]
    }

    private func name(_ name: String, _ choices: Choices) -> String {
        guard choices.happens(onceIn: 32) else { return name }
        let others = ["", ".", String(name.dropLast()), name.uppercased(), "org.varlink.service." + name, name + "\0"]
        return choices.one(of: others)
    }
}

/// Values from replies by field name, so that calls can refer to existing objects.
package struct Harvest {
    /// The number of recent values kept for each field; older ones are rarely useful.
    private static let limit = 16

    /// The values of each field, with the newest last.
    private var values: [String: [JSON]] = [:]

    package init() {}

    package subscript(field: String) -> [JSON] { values[field] ?? [] }

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
