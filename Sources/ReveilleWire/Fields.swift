// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The fields of a structure from a peer; errors name the path of the field.
package struct Fields {
    private let object: JSONObject
    private let path: String
    /// Collects the unknown words; `nil` makes them errors.
    let unknownWords: UnknownWords?

    /// Creates the fields of a structure; a value that is not an object has no fields.
    init(_ structure: JSON, path: String, noting unknownWords: UnknownWords? = nil) {
        object = structure.objectValue ?? [:]
        self.path = path
        self.unknownWords = unknownWords
    }

    /// Creates the fields of the parameters of a call or a reply.
    init(_ parameters: JSONObject) {
        object = parameters
        path = ""
        unknownWords = nil
    }

    func invalid(_ name: String) -> CallError {
        .invalidParameter(path.isEmpty ? name : path + "." + name)
    }

    /// Returns the value of a field; `nil` if it is absent or null, which mean the same.
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

    func optionalString(_ name: String) throws(CallError) -> String? {
        try optional(name) { $0.stringValue }
    }

    func integer(_ name: String) throws(CallError) -> Int {
        try required(name) { $0.integerValue.map { Int($0) } }
    }

    /// Reads a number that is not negative.
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

    /// Reads a level from 0 to 1, or null.
    func level(_ name: String) throws(CallError) -> Double? {
        try optional(name) { value in
            value.numberValue.flatMap { (0...1).contains($0) ? $0 : nil }
        }
    }

    /// Reads a word of a closed set.
    func word<Word: RawRepresentable<String>>(_ name: String) throws(CallError) -> Word {
        try required(name) { $0.stringValue.flatMap { Word(rawValue: $0) } }
    }

    /// Reads a word of a set that may have grown; an unknown word reads as `unknown` if unknown words are collected.
    func word<Word: RawRepresentable<String>>(_ name: String, else unknown: Word) throws(CallError) -> Word {
        try requiredWord(name) ?? unknown
    }

    /// Reads a word; an unknown word reads as `nil` if unknown words are collected.
    func requiredWord<Word: RawRepresentable<String>>(_ name: String) throws(CallError) -> Word? {
        try knownWord(name, try string(name))
    }

    /// Reads a word or null; an unknown word reads as null if unknown words are collected.
    func optionalWord<Word: RawRepresentable<String>>(_ name: String) throws(CallError) -> Word? {
        guard let text = try optionalString(name) else { return nil }
        return try knownWord(name, text)
    }

    /// Reads the field `aspect`, which must meet a condition.
    func aspect(where isAllowed: (Aspect) -> Bool) throws(CallError) -> Aspect {
        try required("aspect") { value in
            value.stringValue.flatMap { Aspect($0) }.flatMap { isAllowed($0) ? $0 : nil }
        }
    }

    /// Reads an aspect that can have a state; an unknown one reads as `nil` if unknown words are collected.
    func requiredName(_ name: String) throws(CallError) -> Aspect? {
        let text = try string(name)
        if let aspect = Aspect(text), !aspect.isPattern { return aspect }
        guard let unknownWords else { throw invalid(name) }
        unknownWords.note(text, in: path.isEmpty ? name : path + "." + name)
        return nil
    }

    /// Reads the structure of an aspect's state, which only a published name may lack.
    func state(of aspect: Aspect) throws(CallError) -> JSON {
        let state = try optional(ReadingCoding.field(of: aspect)) { $0.objectValue == nil ? nil : $0 }
        guard let state else {
            if aspect.isPublished { return .null }
            throw invalid(aspect.name)
        }
        return state
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
