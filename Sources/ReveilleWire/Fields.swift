// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Varlink

/// The fields of a structure that came from a peer, read with errors that name the path of the field.
struct Fields {
    private let object: JSONObject
    private let path: String

    /// Reads a structure; one that is no object has no fields, and the first that is needed is the error.
    init(_ structure: JSON, path: String) {
        object = structure.objectValue ?? [:]
        self.path = path
    }

    /// Reads the parameters of a call or a reply.
    init(_ parameters: JSONObject) {
        object = parameters
        path = ""
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

    func structures(_ name: String) throws(CallError) -> [Fields] {
        let values = try required(name) { $0.arrayValue }
        return values.map { Fields($0, path: path.isEmpty ? name : path + "." + name) }
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

    func optionalWord<Word: RawRepresentable<String>>(_ name: String) throws(CallError) -> Word? {
        try optional(name) { $0.stringValue.flatMap { Word(rawValue: $0) } }
    }
}
