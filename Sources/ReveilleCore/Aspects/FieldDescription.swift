// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A field of an aspect's state, as its declaration lists it.
package struct FieldDescription: Sendable {
    /// The values that a field accepts.
    package enum Values: Sendable, CustomStringConvertible {
        case words([String], orNull: Bool = false)
        /// A number from 0 to 1, or null.
        case level
        /// A Boolean, or null.
        case flag
        case bool
        case text
        /// A number, or null.
        case number
        /// A list of strings, with its description.
        case list(String)
        /// Any other value, with its description.
        case other(String)

        /// The words that the field accepts.
        package var words: [String] {
            if case .words(let words, let orNull) = self { words + (orNull ? ["null"] : []) } else { [] }
        }

        /// The values in words.
        package var description: String {
            switch self {
            case .words: Suggestion.list(words)
            case .level: "a number from 0 to 1, or null"
            case .flag: "true, false or null"
            case .bool: "true or false"
            case .text: "a string"
            case .number: "a number, or null"
            case .list(let text), .other(let text): text
            }
        }

        /// Whether the field is a number.
        package var isNumber: Bool {
            switch self {
            case .level, .number: true
            case .words, .flag, .bool, .text, .list, .other: false
            }
        }
    }

    /// The names that lead to the field.
    package let path: [String]
    /// The declaration.
    package let field: Field
    /// The values that it accepts.
    package let values: Values

    /// The path, with dots between the names: `packs.level`.
    package var name: String { path.joined(separator: ".") }
}

/// Lists the fields of a record and of the records in it.
struct FieldDescriber: FieldCoder {
    private(set) var fields: [FieldDescription] = []
    private let path: [String]

    /// Describes the fields of a record.
    init<Value: Record>(_: Value.Type, path: [String] = []) {
        self.path = path
        var blank = Value.blank
        blank.code(with: &self)
    }

    private mutating func add(_ field: Field, _ values: FieldDescription.Values) {
        fields.append(
            FieldDescription(
                path: path + ["\(field.name)"], field: field, values: field.accepted.map { .other("\($0)") } ?? values))
    }

    private mutating func add<Value: Record>(_ field: Field, _: Value.Type, _ description: (String) -> String) {
        let inner = FieldDescriber(Value.self, path: path + ["\(field.name)"]).fields
        let names = inner.filter { $0.path.count == path.count + 2 }.map { "\($0.field.name)" }
        add(field, .other(description(Suggestion.list(names, "and"))))
        fields += inner
    }

    mutating func string(_ field: Field, _: inout String) { add(field, .text) }
    mutating func string(_ field: Field, _: inout String?) { add(field, .text) }
    mutating func strings(_ field: Field, _: inout [String]) {
        let accepted = field.accepted.map { "\($0)" } ?? "a list of strings"
        fields.append(FieldDescription(path: path + ["\(field.name)"], field: field, values: .list(accepted)))
    }
    mutating func bool(_ field: Field, _: inout Bool) { add(field, .bool) }
    mutating func bool(_ field: Field, _: inout Bool?) { add(field, .flag) }
    mutating func integer(_ field: Field, _: inout Int, atLeast _: Int) { add(field, .number) }
    mutating func integer(_ field: Field, _: inout Int?) { add(field, .number) }
    mutating func number(_ field: Field, _: inout Double, in _: NumberRange) { add(field, .number) }
    mutating func number(_ field: Field, _: inout Double?, in range: NumberRange) {
        if case .level = range { add(field, .level) } else { add(field, .number) }
    }
    mutating func word<Word: WordSet>(_ field: Field, _: inout Word, else _: Word) {
        add(field, .words(Word.allCases.map(\.rawValue)))
    }
    mutating func word<Word: WordSet>(_ field: Field, _: inout Word?, where isAllowed: (Word) -> Bool) {
        add(field, .words(Word.allCases.filter(isAllowed).map(\.rawValue), orNull: true))
    }
    mutating func record<Value: Record>(_ field: Field, _: inout Value) {
        add(field, Value.self) { "an object with \($0)" }
    }
    mutating func record<Value: Record>(_ field: Field, _: inout Value?) {
        add(field, Value.self) { "an object with \($0), or null" }
    }
    mutating func records<Value: Record>(_ field: Field, _: inout [Value]) {
        add(field, Value.self) { "a list of \(field.name), each with \($0)" }
    }
}
