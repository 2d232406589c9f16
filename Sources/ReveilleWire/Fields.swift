// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
package import Varlink

/// The fields of a structure from a peer, each of which is read once; errors name the path of the field.
package struct Fields: ~Copyable {
    let text: JSONText
    /// The index of the structure in the text.
    private(set) var structure: Int
    /// The structure that paths begin in, and the path of that structure.
    var root: (structure: Int, path: String)
    /// Collects the unknown words; `nil` makes them errors.
    private(set) var unknownWords: UnknownWords?
    /// The number of values that have been read, with those inside of them.
    var readCount = 0

    package init(_ object: JSONObject, path: String = "", noting unknownWords: UnknownWords? = nil) {
        self.init(object.text, path: path, noting: unknownWords)
    }

    init(_ object: (text: JSONText, index: Int), path: String = "", noting unknownWords: UnknownWords? = nil) {
        text = object.text
        structure = object.index
        root = (object.index, path)
        self.unknownWords = unknownWords
    }

    /// Whether every value has been read; otherwise the structure has other fields, or one of them twice.
    var areAllRead: Bool { readCount == text.end(of: structure) - structure - 1 }

    func invalid(_ name: FieldName, _ reason: String? = nil) -> CallError {
        .invalidParameter(path(of: "\(name)"), reason)
    }

    func path(of name: String) -> String {
        let path = text.path(of: structure, in: root.structure) + [name]
        return (root.path.isEmpty ? path : [root.path] + path).joined(separator: ".")
    }

    /// Returns the index of the value of a field; `nil` if it is absent or null: both mean the same.
    @inline(__always)
    private mutating func index(_ name: FieldName) -> Int? {
        guard let index = text.member(name.shortName, of: structure) else { return nil }
        readCount &+= 1
        if case .null = text.nodes[index].value { return nil }
        return index
    }

    /// Reads a value that the closure accepts, or null; the reason for another value follows the field.
    mutating func optional<Value>(
        _ name: FieldName, _ reason: @autoclosure () -> String? = nil, _ read: (JSON) -> Value?
    ) throws(CallError) -> Value? {
        guard let index = index(name) else { return nil }
        readCount &+= text.end(of: index) &- index &- 1
        guard let value = read(text.value(at: index)) else { throw invalid(name, reason()) }
        return value
    }

    // MARK: - Numbers and strings

    @inline(__always)
    private mutating func scalar<Value>(
        _ name: FieldName, _ reason: @autoclosure () -> String? = nil, _ read: (JSONText.Value) -> Value?
    ) throws(CallError) -> Value? {
        guard let index = index(name) else { return nil }
        guard let value = read(text.nodes[index].value) else { throw invalid(name, reason()) }
        return value
    }

    @inline(__always)
    private func required<Value>(_ name: FieldName, _ value: Value?) throws(CallError) -> Value {
        guard let value else { throw invalid(name) }
        return value
    }

    mutating func optionalString(_ name: FieldName) throws(CallError) -> String? {
        let string = try scalar(name) { if case .string(let part) = $0 { part } else { nil } }
        return string.map { text.string($0) }
    }

    mutating func string(_ name: FieldName) throws(CallError) -> String {
        let value = try optionalString(name)
        return try required(name, value)
    }

    mutating func integer(_ name: FieldName) throws(CallError) -> Int {
        let value = try scalar(name) { if case .integer(let value) = $0 { Int(value) } else { nil } }
        return try required(name, value)
    }

    /// Reads a number that is not negative, or null.
    mutating func optionalCount(_ name: FieldName) throws(CallError) -> Int? {
        try scalar(name, "must be 0 or more") { value in
            if case .integer(let value) = value, value >= 0 { Int(value) } else { nil }
        }
    }

    mutating func count(_ name: FieldName) throws(CallError) -> Int {
        let value = try optionalCount(name)
        return try required(name, value)
    }

    mutating func optionalBool(_ name: FieldName) throws(CallError) -> Bool? {
        try scalar(name) { if case .bool(let value) = $0 { value } else { nil } }
    }

    mutating func bool(_ name: FieldName) throws(CallError) -> Bool {
        let value = try optionalBool(name)
        return try required(name, value)
    }

    mutating func optionalNumber(_ name: FieldName, in range: NumberRange) throws(CallError) -> Double? {
        try scalar(name, range.reason) { value in
            let number: Double
            switch value {
            case .integer(let value): number = Double(value)
            case .number(let value): number = value
            default: return nil
            }
            return range.contains(number) ? number : nil
        }
    }

    mutating func number(_ name: FieldName, in range: NumberRange) throws(CallError) -> Double {
        let value = try optionalNumber(name, in: range)
        return try required(name, value)
    }

    // MARK: - Lists and structures

    private mutating func elements(_ name: FieldName) throws(CallError) -> [Int]? {
        guard let list = index(name) else { return nil }
        guard case .array = text.nodes[list].value else { throw invalid(name) }
        let elements = text.children(of: list)
        readCount += elements.count
        return elements
    }

    mutating func optionalStrings(_ name: FieldName) throws(CallError) -> [String]? {
        guard let elements = try elements(name) else { return nil }
        var strings: [String] = []
        for element in elements {
            guard case .string(let part) = text.nodes[element].value else { throw invalid(name) }
            strings.append(text.string(part))
        }
        return strings
    }

    mutating func strings(_ name: FieldName) throws(CallError) -> [String] {
        let values = try optionalStrings(name)
        return try required(name, values)
    }

    mutating func optionalStructure<Value>(
        _ name: FieldName, _ read: (inout Fields) throws(CallError) -> Value
    ) throws(CallError) -> Value? {
        guard let index = index(name) else { return nil }
        guard case .object = text.nodes[index].value else { throw invalid(name) }
        return try inside(index, read)
    }

    mutating func optionalStructures<Value>(
        _ name: FieldName, noting words: UnknownWords? = nil, _ read: (inout Fields) throws(CallError) -> Value
    ) throws(CallError) -> [Value]? {
        guard let elements = try elements(name) else { return nil }
        if let words { unknownWords = words }
        var values: [Value] = []
        for element in elements { values.append(try inside(element, read)) }
        return values
    }

    mutating func structures<Value>(
        _ name: FieldName, noting words: UnknownWords? = nil, _ read: (inout Fields) throws(CallError) -> Value
    ) throws(CallError) -> [Value] {
        let values = try optionalStructures(name, noting: words, read)
        return try required(name, values)
    }

    /// Reads the fields of a structure inside this one.
    @inline(__always)
    mutating func inside<Value>(
        _ index: Int, _ read: (inout Fields) throws(CallError) -> Value
    ) throws(CallError) -> Value {
        let outside = structure
        structure = index
        let value = try read(&self)
        structure = outside
        return value
    }

    // MARK: - Words

    mutating func word<Word: WordSet>(_ name: FieldName) throws(CallError) -> Word {
        guard let index = index(name) else { throw invalid(name) }
        guard let word: Word = word(at: index) else { throw invalid(name, CallError.unknown) }
        return word
    }

    /// Reads a word of a set that may have grown; an unknown word reads as `unknown` if unknown words are collected.
    mutating func word<Word: WordSet>(_ name: FieldName, else unknown: Word) throws(CallError) -> Word {
        guard let index = index(name) else { throw invalid(name) }
        return try knownWord(name, at: index) ?? unknown
    }

    /// Reads a word or null; an unknown word reads as `unknown` if unknown words are collected.
    mutating func optionalWord<Word: WordSet>(
        _ name: FieldName, else unknown: Word? = nil
    ) throws(CallError) -> Word? {
        guard let index = index(name) else { return nil }
        return try knownWord(name, at: index) ?? unknown
    }

    private func word<Word: WordSet>(at index: Int) -> Word? {
        guard case .string(let string) = text.nodes[index].value else { return nil }
        return Word.words.first { text.isText($0.rawValue, string) }
    }

    private func knownWord<Word: WordSet>(_ name: FieldName, at index: Int) throws(CallError) -> Word? {
        if let word: Word = word(at: index) { return word }
        guard case .string(let part) = text.nodes[index].value else { throw invalid(name) }
        guard let unknownWords else { throw invalid(name, CallError.unknown) }
        unknownWords.note(text.string(part), in: path(of: "\(name)"))
        return nil
    }
}

extension BuiltInAspect {
    /// The names in the order of the cases.
    static let names = NameTable(allCases.map(\.rawValue))
}
