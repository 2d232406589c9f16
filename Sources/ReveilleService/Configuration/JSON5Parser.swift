// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Varlink

/// Reads JSON5: JSON with comments, trailing commas, names without quotes and numbers as people write them.
///
/// Foundation reads it too, but ends the process at some texts that are none. The grammar is that of
/// https://spec.json5.org, but for escapes in names without quotes. How deep values nest has the limit of
/// messages; the last of several equal names counts.
struct JSON5Parser {
    private let scalars: [Unicode.Scalar]
    var position = 0

    /// Parses a text.
    ///
    /// - Throws: `ConfigurationError` with the line of the first place that is wrong.
    static func parse(_ bytes: [UInt8]) throws(ConfigurationError) -> JSON {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationError(key: nil, reason: "not JSON5: not UTF-8")
        }
        var parser = JSON5Parser(scalars: Array(text.unicodeScalars))
        let value = try parser.value(depth: 0)
        try parser.skipSpace()
        guard parser.next == nil else { throw parser.unexpected() }
        return value
    }

    private init(scalars: [Unicode.Scalar]) {
        self.scalars = scalars
    }

    /// The next character; `nil` at the end.
    var next: Unicode.Scalar? {
        position < scalars.count ? scalars[position] : nil
    }

    /// Passes over a character if it comes next, and says whether it did.
    mutating func skip(_ expected: Unicode.Scalar) -> Bool {
        guard next == expected else { return false }
        position += 1
        return true
    }

    /// Takes the characters that come next and can be part of something; there may be none.
    mutating func take(while isPart: (Unicode.Scalar) -> Bool) -> String {
        let start = position
        while let next, isPart(next) { position += 1 }
        return String(String.UnicodeScalarView(scalars[start..<position]))
    }

    /// The error for a character that cannot stand where the parser does, or for the end there.
    func unexpected() -> ConfigurationError {
        wrong(next.map { "unexpected \(String($0).debugDescription)" } ?? "unexpected end")
    }

    /// The error for what is wrong where the parser stands.
    func wrong(_ reason: String) -> ConfigurationError {
        let line = 1 + scalars[..<position].count { $0 == "\n" }
        return ConfigurationError(key: nil, reason: "not JSON5: line \(line): \(reason)")
    }

    private mutating func value(depth: Int) throws(ConfigurationError) -> JSON {
        try skipSpace()
        guard depth <= Limits.jsonDepth else { throw wrong("more than \(Limits.jsonDepth) levels") }
        switch next {
        case "{": return .object(try object(depth: depth + 1))
        case "[": return .array(try array(depth: depth + 1))
        case "\"", "'": return .string(try string())
        case "+", "-", ".", "I", "N": return try number()
        case let next? where "0"..."9" ~= next: return try number()
        default: return try word()
        }
    }

    private mutating func object(depth: Int) throws(ConfigurationError) -> JSONObject {
        position += 1
        var object = JSONObject()
        while try !isEnd("}") {
            let name = next == "\"" || next == "'" ? try string() : try name()
            try skipSpace()
            guard skip(":") else { throw unexpected() }
            object.members.append(JSONObject.Member(name: name, value: try value(depth: depth)))
            guard try isAnother(before: "}") else { break }
        }
        return object
    }

    private mutating func array(depth: Int) throws(ConfigurationError) -> [JSON] {
        position += 1
        var elements: [JSON] = []
        while try !isEnd("]") {
            elements.append(try value(depth: depth))
            guard try isAnother(before: "]") else { break }
        }
        return elements
    }

    private mutating func isEnd(_ end: Unicode.Scalar) throws(ConfigurationError) -> Bool {
        try skipSpace()
        return skip(end)
    }

    /// Passes over a comma, or the end in its place.
    private mutating func isAnother(before end: Unicode.Scalar) throws(ConfigurationError) -> Bool {
        try skipSpace()
        if skip(",") { return true }
        guard skip(end) else { throw unexpected() }
        return false
    }

    private mutating func skipSpace() throws(ConfigurationError) {
        while let next {
            if next.properties.isWhitespace || next == "\u{FEFF}" {
                position += 1
            } else if next == "/" {
                try skipComment()
            } else {
                return
            }
        }
    }

    private mutating func skipComment() throws(ConfigurationError) {
        position += 1
        if skip("/") {
            _ = take { !Self.isLineEnd($0) }
            return
        }
        guard skip("*") else { throw unexpected() }
        while true {
            _ = take { $0 != "*" }
            guard skip("*") else { throw unexpected() }
            if skip("/") { return }
        }
    }

    /// Says whether a character ends a line.
    static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        ["\n", "\r", "\u{2028}", "\u{2029}"].contains(scalar)
    }
}
