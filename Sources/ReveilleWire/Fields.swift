// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The fields of a structure from a peer; errors name the path of the field.
package struct Fields {
    private let text: JSONText
    /// The index of the structure in the text.
    private var structure: Int
    private var path: String
    /// Collects the unknown words; `nil` makes them errors.
    let unknownWords: UnknownWords?

    private init(_ text: JSONText, at structure: Int, path: String, noting unknownWords: UnknownWords?) {
        self.text = text
        self.structure = structure
        self.path = path
        self.unknownWords = unknownWords
    }

    /// Creates the fields of a structure, or of the parameters of a call or a reply.
    init(_ object: JSONObject, path: String = "", noting unknownWords: UnknownWords? = nil) {
        let (text, structure) = object.text
        self.init(text, at: structure, path: path, noting: unknownWords)
    }

    func invalid(_ name: FieldName) -> CallError {
        .invalidParameter(path(of: "\(name)"))
    }

    private func path(of name: String) -> String {
        path.isEmpty ? name : path + "." + name
    }

    /// Returns the index of the value of a field; `nil` if it is absent or null, which mean the same.
    private func index(_ name: FieldName) -> Int? {
        guard let index = text.member(name.shortName, of: structure) else { return nil }
        if case .null = text.nodes[index].value { return nil }
        return index
    }

    private func requiredIndex(_ name: FieldName) throws(CallError) -> Int {
        guard let index = index(name) else { throw invalid(name) }
        return index
    }

    /// Returns whether a field is present and not null.
    func has(_ name: FieldName) -> Bool { index(name) != nil }

    /// Reads a field of any type that a closure accepts.
    func optional<Value>(_ name: FieldName, _ read: (JSON) -> Value?) throws(CallError) -> Value? {
        guard let index = index(name) else { return nil }
        guard let value = read(text.value(at: index)) else { throw invalid(name) }
        return value
    }

    // MARK: - Numbers and strings

    func string(_ name: FieldName) throws(CallError) -> String {
        guard case .string(let part) = text.nodes[try requiredIndex(name)].value else { throw invalid(name) }
        return text.string(part)
    }

    func optionalString(_ name: FieldName) throws(CallError) -> String? {
        has(name) ? try string(name) : nil
    }

    func integer(_ name: FieldName) throws(CallError) -> Int {
        guard case .integer(let value) = text.nodes[try requiredIndex(name)].value else { throw invalid(name) }
        return Int(value)
    }

    /// Reads a number that is not negative.
    func count(_ name: FieldName) throws(CallError) -> Int {
        let count = try integer(name)
        guard count >= 0 else { throw invalid(name) }
        return count
    }

    /// Reads a number that is not negative, or null.
    func optionalCount(_ name: FieldName) throws(CallError) -> Int? {
        has(name) ? try count(name) : nil
    }

    func bool(_ name: FieldName) throws(CallError) -> Bool {
        guard case .bool(let value) = text.nodes[try requiredIndex(name)].value else { throw invalid(name) }
        return value
    }

    func optionalBool(_ name: FieldName) throws(CallError) -> Bool? {
        has(name) ? try bool(name) : nil
    }

    func number(_ name: FieldName) throws(CallError) -> Double {
        guard let number = try optional(name, { $0.numberValue }) else { throw invalid(name) }
        return number
    }

    /// Reads a number, or null.
    func optionalNumber(_ name: FieldName) throws(CallError) -> Double? {
        try optional(name) { $0.numberValue }
    }

    /// Reads a level from 0 to 1, or null.
    func level(_ name: FieldName) throws(CallError) -> Double? {
        try optional(name) { value in
            value.numberValue.flatMap { (0...1).contains($0) ? $0 : nil }
        }
    }

    // MARK: - Lists and structures

    /// Returns the indices of the elements of a list.
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

    /// Reads a structure or null.
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
    func word<Word: FieldWord>(_ name: FieldName) throws(CallError) -> Word {
        guard let word: Word = word(at: try requiredIndex(name)) else { throw invalid(name) }
        return word
    }

    /// Reads a word of a set that may have grown; an unknown word reads as `unknown` if unknown words are collected.
    func word<Word: FieldWord>(_ name: FieldName, else unknown: Word) throws(CallError) -> Word {
        try knownWord(name, at: try requiredIndex(name)) ?? unknown
    }

    /// Reads a word or null; an unknown word reads as null if unknown words are collected.
    func optionalWord<Word: FieldWord>(_ name: FieldName) throws(CallError) -> Word? {
        guard let index = index(name) else { return nil }
        return try knownWord(name, at: index)
    }

    private func word<Word: FieldWord>(at index: Int) -> Word? {
        guard case .string(let string) = text.nodes[index].value else { return nil }
        return text.position(of: string, in: Word.names).map { Word.allCases[$0] }
    }

    private func knownWord<Word: FieldWord>(_ name: FieldName, at index: Int) throws(CallError) -> Word? {
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

    /// Reads the state of an aspect, which only a published name may lack.
    consuming func reading(of aspect: Aspect) throws(CallError) -> Reading {
        guard let builtIn = aspect.builtIn else {
            return .published(PublishedValue(aspect, try optional(.value) { $0.objectValue }))
        }
        return try reading(of: builtIn, at: try requiredIndex(ReadingCoding.field(of: builtIn)))
    }

    /// Reads the state of the only aspect that is given.
    ///
    /// - Throws: `InvalidParameter` with the first aspect if none is given, with the second if several are given.
    consuming func onlyReading() throws(CallError) -> Reading {
        var given: UInt64 = 0
        var member = structure + 1
        while member < text.end(of: structure) {
            let node = text.nodes[member]
            if let position = text.position(of: node.name, in: BuiltInAspect.names) {
                // The last of members with equal names counts.
                if case .null = node.value { given &= ~(1 << UInt64(position)) } else { given |= 1 << UInt64(position) }
            }
            member = text.end(of: member)
        }
        guard given != 0 else { throw invalid(.locale) }
        let others = given & (given - 1)
        guard others == 0 else { throw .invalidParameter(path(of: BuiltInAspect.names[others.trailingZeroBitCount])) }
        let aspect = BuiltInAspect.allCases[given.trailingZeroBitCount]
        guard aspect.isPostable else { throw .invalidParameter(path(of: aspect.rawValue)) }
        return try reading(of: aspect, at: try requiredIndex(ReadingCoding.field(of: aspect)))
    }

    private consuming func reading(of aspect: BuiltInAspect, at index: Int) throws(CallError) -> Reading {
        guard case .object = text.nodes[index].value else { throw .invalidParameter(path(of: aspect.rawValue)) }
        structure = index
        path = aspect.rawValue
        return try ReadingCoding.decode(self, of: aspect)
    }
}

extension BuiltInAspect: FieldWord {
    static let names = makeNames()
}

/// The words of a field.
protocol FieldWord: CaseIterable, RawRepresentable<String> where AllCases == [Self] {
    /// The words in the order of the cases.
    static var names: NameTable { get }
}

extension FieldWord {
    /// Returns the table of all words.
    static func makeNames() -> NameTable { NameTable(allCases.map(\.rawValue)) }
}
