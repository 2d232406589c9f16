// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Varlink

/// The fields of a structure that came from a peer, read with errors that name the path of the field.
struct Fields {
    private let object: JSONObject
    private let path: String
    /// Takes the words that are not known; without it they are errors.
    private let unknownWords: UnknownWords?

    /// Reads a structure; one that is no object has no fields, and the first that is needed is the error.
    init(_ structure: JSON, path: String, noting unknownWords: UnknownWords? = nil) {
        object = structure.objectValue ?? [:]
        self.path = path
        self.unknownWords = unknownWords
    }

    /// Reads the parameters of a call or a reply.
    init(_ parameters: JSONObject) {
        object = parameters
        path = ""
        unknownWords = nil
    }

    func invalid(_ name: String) -> CallError {
        .invalidParameter(path.isEmpty ? name : path + "." + name)
    }

    /// The value of a field, `nil` where it is absent or null: both mean the same.
    func value(_ name: String) -> JSON? {
        guard let value = object[name], !value.isNull else { return nil }
        return value
    }

    func optional<Value>(_ name: String, _ read: (JSON) -> Value?) throws(CallError) -> Value? {
        guard let value = value(name) else { return nil }
        guard let result = read(value) else { throw invalid(name) }
        return result
    }

    func required<Value>(_ name: String, _ read: (JSON) -> Value?) throws(CallError) -> Value {
        guard let value = try optional(name, read) else { throw invalid(name) }
        return value
    }

    func string(_ name: String) throws(CallError) -> String {
        try required(name) { $0.stringValue }
    }

    func integer(_ name: String) throws(CallError) -> Int {
        try required(name) { $0.integerValue.map { Int($0) } }
    }

    /// A number of things, which no field has fewer of than none.
    func count(_ name: String) throws(CallError) -> Int {
        try required(name) { value in
            value.integerValue.flatMap { $0 >= 0 ? Int($0) : nil }
        }
    }

    func bool(_ name: String) throws(CallError) -> Bool {
        try required(name) { $0.boolValue }
    }

    func optionalBool(_ name: String) throws(CallError) -> Bool? {
        try optional(name) { $0.boolValue }
    }

    func strings(_ name: String) throws(CallError) -> [String] {
        try required(name) { value in
            guard let values = value.arrayValue else { return nil }
            let strings = values.compactMap(\.stringValue)
            return strings.count == values.count ? strings : nil
        }
    }

    func structures(_ name: String, noting words: UnknownWords? = nil) throws(CallError) -> [Fields] {
        let values = try required(name) { $0.arrayValue }
        return values.map { Fields($0, path: path.isEmpty ? name : path + "." + name, noting: words ?? unknownWords) }
    }

    /// A level from 0 to 1, or null.
    func level(_ name: String) throws(CallError) -> Double? {
        try optional(name) { value in
            value.numberValue.flatMap { (0...1).contains($0) ? $0 : nil }
        }
    }

    /// A word of a closed set.
    func word<Word: RawRepresentable<String>>(_ name: String) throws(CallError) -> Word {
        try required(name) { $0.stringValue.flatMap { Word(rawValue: $0) } }
    }

    /// A word of a set that may have grown: one that is not known reads as `unknown`, where that is wanted.
    func word<Word: RawRepresentable<String>>(_ name: String, else unknown: Word) throws(CallError) -> Word {
        try requiredWord(name) ?? unknown
    }

    /// A word; `nil` for one that is not known, where that is wanted.
    func requiredWord<Word: RawRepresentable<String>>(_ name: String) throws(CallError) -> Word? {
        try knownWord(name, try string(name))
    }

    /// A word, or null; one that is not known reads as null, where that is wanted.
    func optionalWord<Word: RawRepresentable<String>>(_ name: String) throws(CallError) -> Word? {
        guard let text = try optional(name, { $0.stringValue }) else { return nil }
        return try knownWord(name, text)
    }

    private func knownWord<Word: RawRepresentable<String>>(
        _ name: String, _ text: String
    ) throws(CallError) -> Word? {
        if let word = Word(rawValue: text) { return word }
        guard let unknownWords else { throw invalid(name) }
        unknownWords.note(text, in: path.isEmpty ? name : path + "." + name)
        return nil
    }
}
