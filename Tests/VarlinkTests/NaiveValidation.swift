// SPDX-License-Identifier: Apache-2.0

import Varlink

/// Validation that follows the rules of Varlink on trees of types and values, against which the real one is compared.
struct NaiveValidation {
    let interface: Interface

    func invalidPath(_ object: JSONObject, _ structure: Structure) -> [String]? {
        for field in structure.fields {
            let value = object.members.last { isSame($0.name, field.name) }?.value ?? .null
            if let path = invalidPath(value, field.type) { return [field.name] + path }
        }
        let unknown = object.members.first { member in
            !structure.fields.contains { isSame($0.name, member.name) }
        }
        return unknown.map { [$0.name] }
    }

    private func invalidPath(_ value: JSON, _ type: ValueType) -> [String]? {
        switch (type, value) {
        case (.bool, .bool), (.int, .integer), (.float, .integer), (.float, .number), (.string, .string),
            (.object, .object), (.nullable, .null):
            return nil
        case (.any, _):
            return value.isNull ? [] : nil
        case (.enumeration(let words), .string(let word)):
            return words.contains { isSame($0, word) } ? nil : []
        case (.named(let name), _):
            return interface.types[name].flatMap { invalidPath(value, $0) }
        case (.nullable(let type), _):
            return invalidPath(value, type)
        case (.structure(let structure), .object(let object)):
            return invalidPath(object, structure)
        case (.array(let type), .array(let elements)):
            return elements.lazy.compactMap { invalidPath($0, type) }.first
        case (.dictionary(let type), .object(let object)):
            return object.members.lazy.compactMap { invalidPath($0.value, type) }.first
        default:
            return []
        }
    }

    private func isSame(_ one: String, _ other: String) -> Bool {
        Array(one.utf8) == Array(other.utf8)
    }
}

/// Random values for types, mostly valid ones.
struct RandomValue {
    let interface: Interface
    private static let wrong: [JSON] = [nil, true, 1, 0.5, "", "one", [], [:], [nil], ["x": 1], 1e300, -1]

    func object(_ structure: Structure, depth: Int = 6, using random: inout SplitMix64) -> JSONObject {
        var members: [JSONObject.Member] = []
        for field in structure.fields {
            if case .nullable = field.type, depth <= 0 || Bool.random(using: &random) { continue }
            guard !chance(60, &random) else { continue }
            for _ in 0...(chance(20, &random) ? 1 : 0) {
                members.append(.init(name: field.name, value: value(field.type, depth: depth - 1, using: &random)))
            }
        }
        if chance(2, &random) { members.shuffle(using: &random) }
        if chance(60, &random) {
            let name = ["x", "", "Name", "nam", "names", "na\u{301}me"].randomElement(using: &random) ?? ""
            members.insert(.init(name: name, value: 1), at: Int.random(in: 0...members.count, using: &random))
        }
        return JSONObject(members: members)
    }

    private func value(_ type: ValueType, depth: Int, using random: inout SplitMix64) -> JSON {
        if chance(60, &random) { return Self.wrong.randomElement(using: &random) ?? .null }
        switch type {
        case .bool: return .bool(Bool.random(using: &random))
        case .int: return .integer(Int64(bitPattern: random.next()))
        case .float: return Bool.random(using: &random) ? 1.5 : 2
        case .string: return .string(JSON.randomString(using: &random))
        case .object: return ["x": [nil]]
        case .any: return [.null]
        case .named(let name): return interface.types[name].map { value($0, depth: depth, using: &random) } ?? .null
        case .structure(let structure): return .object(object(structure, depth: depth, using: &random))
        case .enumeration(let words): return .string(words.randomElement(using: &random) ?? "")
        case .array(let type):
            return .array(list(depth, &random).map { _ in value(type, depth: depth - 1, using: &random) })
        case .dictionary(let type):
            return .object(
                JSONObject(
                    members: list(depth, &random).map { _ in
                        .init(
                            name: JSON.randomString(using: &random),
                            value: value(type, depth: depth - 1, using: &random))
                    }))
        case .nullable(let type):
            return depth <= 0 || Bool.random(using: &random) ? .null : value(type, depth: depth, using: &random)
        }
    }

    private func list(_ depth: Int, _ random: inout SplitMix64) -> Range<Int> {
        0..<(depth > 0 ? Int.random(in: 0...3, using: &random) : 0)
    }

    private func chance(_ rarity: Int, _ random: inout SplitMix64) -> Bool {
        Int.random(in: 0..<rarity, using: &random) == 0
    }
}
