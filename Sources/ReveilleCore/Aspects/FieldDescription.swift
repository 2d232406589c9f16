// SPDX-License-Identifier: Apache-2.0

/// A field of an aspect's state, as its declaration lists it.
package struct FieldDescription: Sendable {
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

        package var words: [String] {
            if case .words(let words, let orNull) = self { words + (orNull ? ["null"] : []) } else { [] }
        }

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

        package var isNumber: Bool {
            switch self {
            case .level, .number: true
            case .words, .flag, .bool, .text, .list, .other: false
            }
        }
    }

    package let path: [String]
    package fileprivate(set) var values: Values
    /// The unit with which charts show it, after the number; `nil` for a field that charts do not show.
    package fileprivate(set) var chartUnit: String?
    /// How a dashboard shows it; `nil` for a field that it does not show.
    package fileprivate(set) var entity: DashboardEntity?

    fileprivate init(path: [String], values: Values) {
        self.path = path
        self.values = values
    }

    package var ownName: String { path.last ?? "" }
    /// The path, with dots between the names: `packs.level`.
    package var name: String { path.joined(separator: ".") }
}

/// Lists the fields of a record and of the records in it.
struct FieldDescriber: FieldCoder {
    private(set) var fields: [FieldDescription] = []
    private let path: [String]

    init<Value: Record>(_: Value.Type, path: [String] = []) {
        self.path = path
        var blank = Value.blank
        blank.code(with: &self)
    }

    private mutating func add(_ name: StaticString, _ values: FieldDescription.Values) {
        fields.append(FieldDescription(path: path + ["\(name)"], values: values))
    }

    private mutating func add<Value: Record>(_ name: StaticString, _: Value.Type, _ description: (String) -> String) {
        let inner = FieldDescriber(Value.self, path: path + ["\(name)"]).fields
        let names = inner.filter { $0.path.count == path.count + 2 }.map(\.ownName)
        add(name, .other(description(Suggestion.list(names, "and"))))
        fields += inner
    }

    mutating func accepts(_ values: StaticString) {
        let last = fields.count - 1
        fields[last].values = if case .list = fields[last].values { .list("\(values)") } else { .other("\(values)") }
    }

    mutating func chart(in unit: StaticString) { fields[fields.count - 1].chartUnit = "\(unit)" }
    mutating func show(as entity: @autoclosure () -> DashboardEntity) { fields[fields.count - 1].entity = entity() }

    mutating func string(_ name: StaticString, _: inout String) { add(name, .text) }
    mutating func string(_ name: StaticString, _: inout String?) { add(name, .text) }
    mutating func strings(_ name: StaticString, _: inout [String]) { add(name, .list("a list of strings")) }
    mutating func bool(_ name: StaticString, _: inout Bool) { add(name, .bool) }
    mutating func bool(_ name: StaticString, _: inout Bool?) { add(name, .flag) }
    mutating func integer(_ name: StaticString, _: inout Int, atLeast _: Int) { add(name, .number) }
    mutating func integer(_ name: StaticString, _: inout Int?) { add(name, .number) }
    mutating func number(_ name: StaticString, _: inout Double, in _: NumberRange) { add(name, .number) }
    mutating func number(_ name: StaticString, _: inout Double?, in range: NumberRange) {
        if case .level = range { add(name, .level) } else { add(name, .number) }
    }
    mutating func word<Word: WordSet>(_ name: StaticString, _: inout Word, else _: Word) {
        add(name, .words(Word.words.map(\.rawValue)))
    }
    mutating func word<Word: WordSet>(_ name: StaticString, _: inout Word?, where isAllowed: (Word) -> Bool) {
        add(name, .words(Word.words.filter(isAllowed).map(\.rawValue), orNull: true))
    }
    mutating func record<Value: Record>(_ name: StaticString, _: inout Value) {
        add(name, Value.self) { "an object with \($0)" }
    }
    mutating func record<Value: Record>(_ name: StaticString, _: inout Value?) {
        add(name, Value.self) { "an object with \($0), or null" }
    }
    mutating func records<Value: Record>(_ name: StaticString, _: inout [Value]) {
        add(name, Value.self) { "a list of \(name), each with \($0)" }
    }
}

/// How a dashboard, such as Home Assistant, shows a field.
@usableFromInline
package struct DashboardEntity: Sendable {
    /// The name of the entity, which is unique in the device.
    package let key: String
    package let title: String
    /// The quantity in the words of Home Assistant, which calls it the device class.
    package let quantity: String?
    package let unit: String?
    /// The number of decimal places to show.
    package let digits: Int
    /// The word that means "on", for a field that has two states in addition to `unknown`.
    package let on: String?
    /// An icon, for a field without a quantity.
    package let icon: String?
    /// Whether the entity serves only to diagnose problems.
    package let isDiagnostic: Bool

    @usableFromInline
    package init(
        _ key: String, _ title: String, quantity: String? = nil, unit: String? = nil, digits: Int = 0,
        on: String? = nil, icon: String? = nil, isDiagnostic: Bool = false
    ) {
        self.key = key
        self.title = title
        self.quantity = quantity
        self.unit = unit
        self.digits = digits
        self.on = on
        self.icon = icon
        self.isDiagnostic = isDiagnostic
    }
}
