// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension Condition {
    /// Checks that the condition fits the states of an aspect; any fits an aspect that the interface does not describe.
    package func check(for aspect: String, in interface: Interface = BusInterface.make()) throws(ConditionError) {
        guard case .structure(let event) = interface.types["Event"],
            let state = event.fields.first(where: { $0.name == aspect })
        else { return }
        for comparison in comparisons {
            var field = DescribedField(path: aspect, type: state.type, isNullable: false, in: interface)
            // The field of an event is null for other aspects.
            field.isNullable = false
            for name in comparison.path {
                guard let next = try field.field(name) else { return }
                field = next
            }
            try field.check(comparison)
        }
    }
}

/// A field that an interface describes.
private struct DescribedField {
    let path: String
    /// The type, neither nullable nor named.
    let type: ValueType
    var isNullable: Bool
    private let interface: Interface

    init(path: String, type: ValueType, isNullable: Bool, in interface: Interface) {
        var (type, isNullable) = (type, isNullable)
        while true {
            if case .nullable(let inner) = type {
                (type, isNullable) = (inner, true)
            } else if case .named(let name) = type {
                type = interface.types[name] ?? .any
            } else {
                break
            }
        }
        self.path = path
        self.type = type
        self.isNullable = isNullable
        self.interface = interface
    }

    /// Returns a field of this structure; `nil` if the fields are not described.
    func field(_ name: String) throws(ConditionError) -> DescribedField? {
        switch type {
        case .object, .any, .dictionary: return nil
        case .structure(let structure):
            guard let field = structure.fields.first(where: { $0.name == name }) else {
                throw ConditionError(
                    "\(name): unknown field of \(path)", word: name, candidates: structure.fields.map(\.name))
            }
            return DescribedField(path: "\(path).\(name)", type: field.type, isNullable: isNullable, in: interface)
        default: throw ConditionError("\(name): \(path) has no fields")
        }
    }

    func check(_ comparison: Condition.Comparison) throws(ConditionError) {
        let literal = comparison.literal
        if literal.isNull {
            guard isNullable else { throw ConditionError("\(path) is never null") }
        } else {
            try check(literal, written: comparison.writtenLiteral)
        }
        guard comparison.operator.isOrdering, literal.numberValue == nil else { return }
        throw ConditionError("\(path): only numbers can be compared with \(comparison.operator.rawValue)")
    }

    private func check(_ literal: JSON, written: String) throws(ConditionError) {
        var (fits, expected): (Bool, [String]) =
            switch type {
            case .bool: (literal.boolValue != nil, ["true", "false"])
            case .int, .float: (literal.numberValue != nil, ["a number"])
            case .string: (literal.stringValue != nil, ["a string"])
            case .enumeration(let words): (literal.stringValue.map(words.contains) ?? false, words)
            case .any: (true, [])
            case .array: throw ConditionError("\(path) is a list, which cannot be compared")
            case .structure, .object, .dictionary, .nullable, .named:
                throw ConditionError("\(path) is an object, of which only fields can be compared")
            }
        guard !fits else { return }
        if isNullable { expected.append("null") }
        let last = expected.removeLast()
        let list = expected.isEmpty ? last : expected.joined(separator: ", ") + " or " + last
        throw ConditionError("\(written): \(path) must be compared with \(list)")
    }
}
