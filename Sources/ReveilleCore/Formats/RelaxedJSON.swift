// SPDX-License-Identifier: Apache-2.0

/// A reader of JSON as people write it: JSON5, with comments, trailing commas and unquoted names.
///
/// The grammar follows https://spec.json5.org, except for escapes in unquoted names and hexadecimal numbers above
/// `Int64.max`. The last of several equal names wins. The bytes are read once.
package struct RelaxedJSON {
    let bytes: [UInt8]
    var position = 0
    private var budget = SettingsBudget()

    /// Parses a file in UTF-8; throws the line of the first error, or that it exceeds a limit of `SettingsValue`.
    ///
    /// A number beyond the range of `Double` is the string of its digits.
    package static func parse(_ bytes: [UInt8]) throws(FormatError) -> SettingsValue {
        guard bytes.isUTF8 else { throw FormatError("not UTF-8") }
        var reader = RelaxedJSON(bytes: bytes)
        do throws(FormatError) {
            let value = try reader.value(depth: 0)
            guard try reader.token() == nil else { throw reader.unexpected() }
            return value
        } catch {
            throw FormatError(error.reason, line: bytes.line(at: reader.position), isLimit: error.isLimit)
        }
    }

    var next: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    /// The next character; `nil` at the end.
    var scalar: Unicode.Scalar? {
        var rest = bytes[position...].makeIterator()
        var parser = UTF8.ForwardParser()
        guard case .valid(let encoded) = parser.parseScalar(from: &rest) else { return nil }
        return UTF8.decode(encoded)
    }

    /// Whether the next character is a line or paragraph separator, which ends a line in JSON5.
    var isAtSeparator: Bool {
        next == 0xE2 && (scalar == "\u{2028}" || scalar == "\u{2029}")
    }

    /// Skips an ASCII character if it comes next, and returns whether it did.
    mutating func take(_ expected: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: expected) else { return false }
        position += 1
        return true
    }

    /// Skips a word if it comes next, and returns whether it did.
    mutating func takeWord(_ word: StaticString) -> Bool {
        guard bytes[position...].starts(with: word.description.utf8) else { return false }
        position += word.utf8CodeUnitCount
        return true
    }

    func unexpected() -> FormatError {
        FormatError(scalar.map { "unexpected \(String($0).debugDescription)" } ?? "unexpected end")
    }

    /// Skips white space and comments, and returns the next byte without skipping it; `nil` at the end.
    private mutating func token() throws(FormatError) -> UInt8? {
        while let byte = next {
            if byte.isSpace {
                position += 1
            } else if byte == UInt8(ascii: "/") {
                try skipComment()
            } else if byte >= 0x80, let scalar, scalar.properties.isWhitespace || scalar == "\u{FEFF}" {
                position += UTF8.width(scalar)
            } else {
                return byte
            }
        }
        return nil
    }

    private mutating func skipComment() throws(FormatError) {
        position += 1
        if take("/") {
            while let byte = next, !byte.isNewline, !isAtSeparator { position += 1 }
            return
        }
        guard take("*") else { throw unexpected() }
        var last: UInt8 = 0
        while let byte = next, last != UInt8(ascii: "*") || byte != UInt8(ascii: "/") {
            last = byte
            position += 1
        }
        guard take("/") else { throw unexpected() }
    }

    private mutating func value(depth: Int) throws(FormatError) -> SettingsValue {
        try budget.pay()
        switch try token() {
        case UInt8(ascii: "{"): return .dictionary(try table(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try list(depth: depth + 1))
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "I"), UInt8(ascii: "N"):
            return try number()
        case let byte? where byte.isDigit: return try number()
        default: throw unexpected()
        }
    }

    private mutating func table(depth: Int) throws(FormatError) -> [String: SettingsValue] {
        try SettingsBudget.check(depth: depth)
        position += 1
        var values: [String: SettingsValue] = [:]
        while try !skip("}") {
            let name = next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") ? try string() : try name()
            try budget.pay(forKey: name)
            guard try skip(":") else { throw unexpected() }
            values[name] = try value(depth: depth)
            try separator(before: "}")
        }
        return values
    }

    private mutating func list(depth: Int) throws(FormatError) -> [SettingsValue] {
        try SettingsBudget.check(depth: depth)
        position += 1
        var values: [SettingsValue] = []
        while try !skip("]") {
            values.append(try value(depth: depth))
            try separator(before: "]")
        }
        return values
    }

    private mutating func separator(before end: Unicode.Scalar) throws(FormatError) {
        if try skip(",") { return }
        guard next == UInt8(ascii: end) else { throw unexpected() }
    }

    /// Skips an ASCII character if it comes next after white space, and returns whether it did.
    private mutating func skip(_ expected: Unicode.Scalar) throws(FormatError) -> Bool {
        _ = try token()
        return take(expected)
    }
}
