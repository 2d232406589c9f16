// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Varlink

/// A generator of values of declared types, preferring edge cases.
struct Values {
    let types: [String: ValueType]
    let vocabulary: Vocabulary
    let harvest: Harvest
    let choices: Choices
    /// Whether values may differ from their declared types.
    let isAbsurd: Bool
    /// The method or type for which values are generated.
    var member: String
    /// The remaining bytes for long strings; the limit bounds the size of a frame.
    var room = 80_000

    /// Generates a structure with all required fields and some optional ones.
    mutating func structure(_ structure: Structure) -> JSON {
        let fields = structure.fields
        let optional = fields.indices.filter { if case .nullable = fields[$0].type { true } else { false } }
        var wanted = Set<Int>()
        if !optional.isEmpty {
            // Post takes a single reading, whereas Subscribe accepts all of its fields.
            for _ in 0..<choices.one(of: [1, 0, 1, 2, 3, 9]) { wanted.insert(choices.one(of: optional)) }
        }
        var object = JSONObject()
        for (index, field) in fields.enumerated() {
            if case .nullable(let type) = field.type {
                guard wanted.contains(index) else { continue }
                object[field.name] = choices.happens(onceIn: 16) ? .null : value(type, of: field.name)
            } else {
                object[field.name] = value(field.type, of: field.name)
            }
        }
        guard isAbsurd else { return .object(object) }
        if choices.happens(onceIn: 4) { object[choices.one(of: vocabulary.all)] = anything(of: "") }
        if choices.happens(onceIn: 4), !object.isEmpty {
            let member = choices.one(of: object.members)
            object.members.append(JSONObject.Member(name: member.name, value: anything(of: member.name)))
        }
        if choices.happens(onceIn: 8), !object.isEmpty {
            object.members.remove(at: choices.number(below: object.members.count))
        }
        return .object(object)
    }

    private mutating func value(_ type: ValueType, of field: String) -> JSON {
        if isAbsurd, choices.happens(onceIn: 8) { return anything(of: field) }
        switch type {
        case .bool: return .bool(choices.number(below: 2) == 1)
        case .int: return integer(of: field)
        case .float: return choices.one(of: Edges.floats)
        case .string: return string(of: field)
        case .object: return Edges.nested(choices.one(of: [0, 1, 2, 4, 26, 28, 30, 31, 32, 40]))
        case .any: return anything(of: field)
        case .named(let name):
            let outer = member
            defer { member = outer }
            member = name
            return types[name].map { value($0, of: field) } ?? .null
        case .structure(let structure): return self.structure(structure)
        case .enumeration(let words): return .string(choices.one(of: words))
        case .array(let type): return array(of: type, field)
        case .dictionary(let type):
            let count = self.count()
            room /= max(1, count)
            let element = value(type, of: field)
            return .object(
                JSONObject(members: (0..<count).map { JSONObject.Member(name: "k\($0)", value: element) }))
        case .nullable(let type): return choices.happens(onceIn: 4) ? .null : value(type, of: field)
        }
    }

    private func count() -> Int {
        choices.happens(onceIn: 32) ? Edges.longCount : choices.one(of: Edges.counts)
    }

    /// Generates an array: a short one with distinct elements, a long one with repetitions of one element.
    private mutating func array(of type: ValueType, _ field: String) -> JSON {
        let count = self.count()
        guard count > 3 else { return .array((0..<count).map { _ in value(type, of: field) }) }
        room /= count
        return .array(Array(repeating: value(type, of: field), count: count))
    }

    private func integer(of field: String) -> JSON {
        let seen = harvest[field].compactMap(\.integerValue)
        guard !seen.isEmpty, choices.number(below: 2) == 0 else { return .integer(choices.one(of: Edges.integers)) }
        return .integer(choices.one(of: seen) &+ Int64(choices.number(below: 3) - 1))
    }

    private mutating func string(of field: String) -> JSON {
        if field == "aspect" || field == "aspects", choices.happens(onceIn: 3) {
            return .string(choices.one(of: Edges.names))
        }
        // The comments list only the aspects of the first interface.
        if field == "aspect" || field == "aspects", choices.happens(onceIn: 2) {
            return .string(choices.one(of: Aspect.device).name)
        }
        if field == "domains", choices.happens(onceIn: 2) { return .string(choices.one(of: Edges.domains)) }
        let seen = harvest[field].filter { $0.stringValue != nil }
        let words = vocabulary.words(for: field, in: member)
        switch choices.number(below: 16) {
        case 0..<6 where !seen.isEmpty: return choices.one(of: seen)
        // The newest value most likely still exists.
        case 0..<12 where words.isEmpty && !seen.isEmpty: return seen[seen.count - 1]
        case 0..<12 where !words.isEmpty: return .string(choices.one(of: words))
        case 12, 13: return .string(choices.one(of: vocabulary.all))
        case 15:
            let lengths = choices.happens(onceIn: 8) ? Edges.frameLengths : Edges.lengths
            let length = min(choices.one(of: lengths), room)
            room -= length
            return .string(String(repeating: "a", count: length))
        default: return .string(choices.one(of: Edges.strings))
        }
    }

    private mutating func anything(of field: String) -> JSON {
        switch choices.number(below: 8) {
        case 0: .null
        case 1: .bool(true)
        case 2: integer(of: field)
        case 3: choices.one(of: Edges.floats)
        case 4: string(of: field)
        case 5: .array([])
        case 6: .object([:])
        default: Edges.nested(choices.one(of: [1, 2, 28, 31, 33]))
        }
    }
}
