// SPDX-License-Identifier: Apache-2.0

import Varlink

/// A parser for JSON that follows the grammar of RFC 8259 scalar by scalar, against which the real one is compared.
struct NaiveJSON {
    private struct Invalid: Error {}

    private let scalars: [Unicode.Scalar]
    private var position = 0

    /// Returns the value of a text, or `nil` if it is invalid.
    static func value(_ bytes: [UInt8]) -> JSON? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var parser = NaiveJSON(scalars: Array(text.unicodeScalars))
        guard let value = try? parser.value(depth: 0) else { return nil }
        parser.skipSpace()
        guard parser.next == nil else { return nil }
        return value
    }

    private init(scalars: [Unicode.Scalar]) {
        self.scalars = scalars
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func skipSpace() {
        while let scalar = next, " \t\r\n".unicodeScalars.contains(scalar) { position += 1 }
    }

    private mutating func skip(_ text: String) -> Bool {
        guard scalars[position...].starts(with: text.unicodeScalars) else { return false }
        position += text.unicodeScalars.count
        return true
    }

    private mutating func require(_ text: String) throws(Invalid) {
        guard skip(text) else { throw Invalid() }
    }

    private mutating func value(depth: Int) throws(Invalid) -> JSON {
        skipSpace()
        if skip("null") { return .null }
        if skip("true") { return true }
        if skip("false") { return false }
        if next == "\"" { return .string(try string()) }
        guard next == "[" || next == "{" else { return try number() }
        guard depth < Limits.jsonDepth else { throw Invalid() }
        let (isArray, end) = next == "[" ? (true, "]") : (false, "}")
        position += 1
        skipSpace()
        var elements: [JSON] = []
        var members: [JSONObject.Member] = []
        if !skip(end) {
            repeat {
                skipSpace()
                if isArray {
                    elements.append(try value(depth: depth + 1))
                } else {
                    let name = try string()
                    skipSpace()
                    try require(":")
                    members.append(JSONObject.Member(name: name, value: try value(depth: depth + 1)))
                }
                skipSpace()
            } while skip(",")
            try require(end)
        }
        return isArray ? .array(elements) : .object(JSONObject(members: members))
    }

    private mutating func number() throws(Invalid) -> JSON {
        let start = position
        _ = skip("-")
        if !skip("0") { try digits() }
        let integer = position
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            try digits()
        }
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars[start..<position])
        if position == integer, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw Invalid() }
        return .number(value)
    }

    private mutating func digits() throws(Invalid) {
        guard let first = next, "0"..."9" ~= first else { throw Invalid() }
        while let digit = next, "0"..."9" ~= digit { position += 1 }
    }

    private mutating func string() throws(Invalid) -> String {
        try require("\"")
        var units: [UInt16] = []
        while let scalar = next, scalar != "\"" {
            guard scalar.value >= 0x20 else { throw Invalid() }
            position += 1
            if scalar == "\\" { units.append(try escape()) } else { units += scalar.utf16 }
        }
        try require("\"")
        guard let string = String(validating: units, as: UTF16.self) else { throw Invalid() }
        var marks = 0
        for scalar in string.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .spacingMark, .enclosingMark: marks += 1
            default: marks = 0
            }
            guard marks <= Limits.marks else { throw Invalid() }
        }
        return string
    }

    private mutating func escape() throws(Invalid) -> UInt16 {
        let plain: [Unicode.Scalar: UInt16] = [
            "\"": 0x22, "\\": 0x5C, "/": 0x2F, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9,
        ]
        guard let scalar = next else { throw Invalid() }
        position += 1
        if let unit = plain[scalar] { return unit }
        guard scalar == "u", position + 4 <= scalars.count else { throw Invalid() }
        let digits = String(String.UnicodeScalarView(scalars[position..<position + 4]))
        guard digits.utf8.count == 4, !digits.hasPrefix("+"), !digits.hasPrefix("-"),
            let unit = UInt16(digits, radix: 16)
        else { throw Invalid() }
        position += 4
        return unit
    }
}
