// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Varlink

/// The fields of a structure from a peer; errors name the path of the field.
package struct Fields {
    let text: JSONText
    /// The index of the structure in the text.
    var structure: Int
    var path: String
    /// Collects the unknown words; `nil` makes them errors.
    let unknownWords: UnknownWords?

    init(_ text: JSONText, at structure: Int, path: String, noting unknownWords: UnknownWords?) {
        self.text = text
        self.structure = structure
        self.path = path
        self.unknownWords = unknownWords
    }

    init(_ object: JSONObject, path: String = "", noting unknownWords: UnknownWords? = nil) {
        let (text, structure) = object.text
        self.init(text, at: structure, path: path, noting: unknownWords)
    }

    func invalid(_ name: FieldName) -> CallError {
        .invalidParameter(path(of: "\(name)"))
    }

    func path(of name: String) -> String {
        path.isEmpty ? name : path + "." + name
    }

    /// Returns the index of the value of a field; `nil` if it is absent or null: both mean the same.
    func index(_ name: FieldName) -> Int? {
        guard let index = text.member(name.shortName, of: structure) else { return nil }
        if case .null = text.nodes[index].value { return nil }
        return index
    }

    func requiredIndex(_ name: FieldName) throws(CallError) -> Int {
        guard let index = index(name) else { throw invalid(name) }
        return index
    }

    /// Returns whether a field is present and not null.
    func has(_ name: FieldName) -> Bool { index(name) != nil }

    func optional<Value>(_ name: FieldName, _ read: (JSON) -> Value?) throws(CallError) -> Value? {
        guard let index = index(name) else { return nil }
        guard let value = read(text.value(at: index)) else { throw invalid(name) }
        return value
    }

    // MARK: - Numbers and strings

    @inline(__always)
    private func scalar<Value>(_ name: FieldName, _ read: (JSONText.Value) -> Value?) throws(CallError) -> Value? {
        guard let index = index(name) else { return nil }
        guard let value = read(text.nodes[index].value) else { throw invalid(name) }
        return value
    }

    @inline(__always)
    private func required<Value>(_ name: FieldName, _ value: Value?) throws(CallError) -> Value {
        guard let value else { throw invalid(name) }
        return value
    }

    func optionalString(_ name: FieldName) throws(CallError) -> String? {
        try scalar(name) { if case .string(let part) = $0 { text.string(part) } else { nil } }
    }

    func string(_ name: FieldName) throws(CallError) -> String { try required(name, try optionalString(name)) }

    func integer(_ name: FieldName) throws(CallError) -> Int {
        try required(name, try scalar(name) { if case .integer(let value) = $0 { Int(value) } else { nil } })
    }

    /// Reads a number that is not negative, or null.
    func optionalCount(_ name: FieldName) throws(CallError) -> Int? {
        try scalar(name) { if case .integer(let value) = $0, value >= 0 { Int(value) } else { nil } }
    }

    func count(_ name: FieldName) throws(CallError) -> Int { try required(name, try optionalCount(name)) }

    func optionalBool(_ name: FieldName) throws(CallError) -> Bool? {
        try scalar(name) { if case .bool(let value) = $0 { value } else { nil } }
    }

    func bool(_ name: FieldName) throws(CallError) -> Bool { try required(name, try optionalBool(name)) }

    func optionalNumber(_ name: FieldName, in range: NumberRange) throws(CallError) -> Double? {
        try scalar(name) { value in
            let number: Double
            switch value {
            case .integer(let value): number = Double(value)
            case .number(let value): number = value
            default: return nil
            }
            return range.contains(number) ? number : nil
        }
    }

    func number(_ name: FieldName, in range: NumberRange) throws(CallError) -> Double {
        try required(name, try optionalNumber(name, in: range))
    }

    // MARK: - Lists and structures

    private func elements(_ name: FieldName) throws(CallError) -> [Int] {
        let list = try requiredIndex(name)
        guard case .array = text.nodes[list].value else { throw invalid(name) }
        return text.children(of: list)
    }

    func strings(_ name: FieldName) throws(CallError) -> [String] {
        let elements = try elements(name)
        var strings: [String] = []
        for element in elements {
            guard case .string(let part) = text.nodes[element].value else { throw invalid(name) }
            strings.append(text.string(part))
        }
        return strings
    }

    func optionalStructure(_ name: FieldName) throws(CallError) -> Fields? {
        guard let index = index(name) else { return nil }
        guard case .object = text.nodes[index].value else { throw invalid(name) }
        return Fields(text, at: index, path: path(of: "\(name)"), noting: unknownWords)
    }

    func structures(_ name: FieldName, noting words: UnknownWords? = nil) throws(CallError) -> [Fields] {
        let path = path(of: "\(name)")
        return try elements(name).map { Fields(text, at: $0, path: path, noting: words ?? unknownWords) }
    }

    // MARK: - Words

    /// Reads a word of a closed set.
    func word<Word: WordSet>(_ name: FieldName) throws(CallError) -> Word {
        guard let word: Word = word(at: try requiredIndex(name)) else { throw invalid(name) }
        return word
    }

    /// Reads a word of a set that may have grown; an unknown word reads as `unknown` if unknown words are collected.
    func word<Word: WordSet>(_ name: FieldName, else unknown: Word) throws(CallError) -> Word {
        try knownWord(name, at: try requiredIndex(name)) ?? unknown
    }

    /// Reads a word or null; an unknown word reads as null if unknown words are collected.
    func optionalWord<Word: WordSet>(_ name: FieldName) throws(CallError) -> Word? {
        guard let index = index(name) else { return nil }
        return try knownWord(name, at: index)
    }

    private func word<Word: WordSet>(at index: Int) -> Word? {
        guard case .string(let string) = text.nodes[index].value else { return nil }
        return Word.allCases.first { text.isText($0.rawValue, string) }
    }

    private func knownWord<Word: WordSet>(_ name: FieldName, at index: Int) throws(CallError) -> Word? {
        if let word: Word = word(at: index) { return word }
        guard let unknownWords, case .string(let part) = text.nodes[index].value else { throw invalid(name) }
        unknownWords.note(text.string(part), in: path(of: "\(name)"))
        return nil
    }

    // MARK: - Aspects

    /// Reads the field `aspect`, which must meet a condition.
    func aspect(where isAllowed: (Aspect) -> Bool) throws(CallError) -> Aspect {
        guard let aspect = Aspect(try string(.aspect)), isAllowed(aspect) else { throw invalid(.aspect) }
        return aspect
    }

    /// Reads an aspect that can have a state; an unknown one reads as `nil` if unknown words are collected.
    func requiredName(_ name: FieldName) throws(CallError) -> Aspect? {
        let string = try string(name)
        if let aspect = Aspect(string), !aspect.isPattern { return aspect }
        guard let unknownWords else { throw invalid(name) }
        unknownWords.note(string, in: path(of: "\(name)"))
        return nil
    }
}

extension BuiltInAspect {
    /// The names in the order of the cases.
    static let names = NameTable(allCases.map(\.rawValue))
}
