// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// Reads JSON with comments and trailing commas, as editors and bars keep their settings.
///
/// Once through the bytes, on the thread that everybody waits for. The last of several equal keys counts.
struct SettingsJSON {
    private let bytes: [UInt8]
    private var position = 0
    private var budget = SettingsBudget()

    /// Reads a text.
    ///
    /// - Throws: `FileProblem` when it is no JSON, or deeper or longer than what is read.
    static func parse(_ bytes: [UInt8]) throws(FileProblem) -> SettingsValue {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw FileProblem(reason: "not UTF-8") }
        var parser = SettingsJSON(bytes: bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.position = 3 }
        let value = try parser.value(depth: 0)
        guard try parser.next() == nil else { throw parser.invalid }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Says whether a byte is white space in JSON.
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private var invalid: FileProblem {
        let line = 1 + bytes.prefix(position).count { $0 == UInt8(ascii: "\n") }
        return FileProblem(reason: "not valid JSON: line \(line)")
    }

    private func byte(at place: Int) -> UInt8? {
        place < bytes.count ? bytes[place] : nil
    }

    /// The next byte that is neither white space nor in a comment; the position stays in front of it.
    private mutating func next() throws(FileProblem) -> UInt8? {
        while let byte = byte(at: position) {
            if byte == UInt8(ascii: "/") {
                try skipComment()
            } else if Self.isSpace(byte) {
                position += 1
            } else {
                return byte
            }
        }
        return nil
    }

    private mutating func skipComment() throws(FileProblem) {
        switch byte(at: position + 1) {
        case UInt8(ascii: "/"):
            while let byte = byte(at: position), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
                position += 1
            }
        case UInt8(ascii: "*"):
            var end = position + 2
            while end + 1 < bytes.count, bytes[end] != UInt8(ascii: "*") || bytes[end + 1] != UInt8(ascii: "/") {
                end += 1
            }
            guard end + 1 < bytes.count else { throw invalid }
            position = end + 2
        default:
            throw invalid
        }
    }

    private mutating func skip(_ expected: UInt8) throws(FileProblem) -> Bool {
        guard try next() == expected else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(FileProblem) -> SettingsValue {
        try budget.pay()
        switch try next() {
        case UInt8(ascii: "{"): return .dictionary(try table(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try list(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func table(depth: Int) throws(FileProblem) -> [String: SettingsValue] {
        try SettingsBudget.check(depth: depth)
        position += 1
        var values: [String: SettingsValue] = [:]
        while try !skip(UInt8(ascii: "}")) {
            guard try next() == UInt8(ascii: "\"") else { throw invalid }
            let key = try string()
            try budget.pay(forKey: key)
            guard try skip(UInt8(ascii: ":")) else { throw invalid }
            values[key] = try value(depth: depth)
            try separator(before: UInt8(ascii: "}"))
        }
        return values
    }

    private mutating func list(depth: Int) throws(FileProblem) -> [SettingsValue] {
        try SettingsBudget.check(depth: depth)
        position += 1
        var values: [SettingsValue] = []
        while try !skip(UInt8(ascii: "]")) {
            values.append(try value(depth: depth))
            try separator(before: UInt8(ascii: "]"))
        }
        return values
    }

    /// Passes over a comma, or stops before the end in its place.
    private mutating func separator(before end: UInt8) throws(FileProblem) {
        if try skip(UInt8(ascii: ",")) { return }
        guard try next() == end else { throw invalid }
    }

    private mutating func word(_ word: StaticString, _ value: SettingsValue) throws(FileProblem) -> SettingsValue {
        guard bytes[position...].starts(with: word.description.utf8) else { throw invalid }
        position += word.utf8CodeUnitCount
        return value
    }

    // MARK: - Numbers

    private mutating func number() throws(FileProblem) -> SettingsValue {
        let start = position
        if byte(at: position) == UInt8(ascii: "-") { position += 1 }
        let first = byte(at: position)
        let count = try digits()
        guard first != UInt8(ascii: "0") || count == 1 else { throw invalid }
        var isWhole = true
        if byte(at: position) == UInt8(ascii: ".") {
            position += 1
            _ = try digits()
            isWhole = false
        }
        if let exponent = byte(at: position), exponent | 0x20 == UInt8(ascii: "e") {
            position += 1
            if let sign = byte(at: position), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
            _ = try digits()
            isWhole = false
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let integer = Int64(text).map({ Int128($0) }) ?? UInt64(text).map({ Int128($0) }) {
            return .integer(integer)
        }
        guard let real = Double(text), real.isFinite else { throw invalid }
        return .real(real)
    }

    /// Passes one or more digits.
    private mutating func digits() throws(FileProblem) -> Int {
        let start = position
        while let byte = byte(at: position), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw invalid }
        return position - start
    }

    // MARK: - Strings

    private mutating func string() throws(FileProblem) -> String {
        position += 1
        var text: [UInt8] = []
        while true {
            let start = position
            while let byte = byte(at: position), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
                position += 1
            }
            text += bytes[start..<position]
            switch byte(at: position) {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                try escape(into: &text)
            default:
                throw invalid
            }
        }
    }

    private mutating func escape(into text: inout [UInt8]) throws(FileProblem) {
        position += 2
        switch byte(at: position - 1) {
        case UInt8(ascii: "\""): text.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): text.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "/"): text.append(UInt8(ascii: "/"))
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            guard let scalar = Unicode.Scalar(try escapedScalar()) else { throw invalid }
            text += UTF8.encode(scalar).map { Array($0) } ?? []
        default: throw invalid
        }
    }

    /// The number of a scalar, of two units where the first is half of a pair.
    private mutating func escapedScalar() throws(FileProblem) -> UInt32 {
        let unit = try hexadecimal()
        guard UTF16.isLeadSurrogate(UInt16(unit)) else { return unit }
        guard byte(at: position) == UInt8(ascii: "\\"), byte(at: position + 1) == UInt8(ascii: "u") else {
            throw invalid
        }
        position += 2
        let second = try hexadecimal()
        guard UTF16.isTrailSurrogate(UInt16(second)) else { throw invalid }
        return 0x10000 + (unit & 0x3FF) << 10 + second & 0x3FF
    }

    private mutating func hexadecimal() throws(FileProblem) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = byte(at: position).flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw invalid
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
