// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Varlink

extension JSON5Parser {
    /// Reads `true`, `false` or `null`.
    mutating func word() throws(ConfigurationError) -> JSON {
        let start = position
        switch try token(while: Self.isPartOfName) {
        case "true": return true
        case "false": return false
        case "null": return .null
        default:
            position = start
            throw unexpected()
        }
    }

    /// Reads a name without quotes.
    mutating func name() throws(ConfigurationError) -> String {
        guard let next, next == "$" || next == "_" || next.properties.isIDStart else { throw unexpected() }
        return try token(while: Self.isPartOfName)
    }

    /// Takes what can be compared with other names.
    private mutating func token(while isPart: (Unicode.Scalar) -> Bool) throws(ConfigurationError) -> String {
        let start = position
        let token = take(while: isPart)
        if JSON.hasTooManyMarks(token) { throw tooManyMarks(at: start) }
        return token
    }

    private mutating func tooManyMarks(at start: Int) -> ConfigurationError {
        position = start
        return wrong("more than \(Limits.marks) combining marks in a row")
    }

    private static func isPartOfName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "$" || scalar == "_" || scalar.properties.isIDContinue
    }

    // MARK: - Numbers

    /// Reads a number: an integer where `Int64` holds it, else the nearest `Double`, infinity and NaN too.
    mutating func number() throws(ConfigurationError) -> JSON {
        let isNegative = skip("-")
        if !isNegative { _ = skip("+") }
        let start = position
        // A sign belongs to the exponent in front of it, which hexadecimal digits have none of.
        var text = try token { $0.properties.isIDContinue || $0 == "." }
        if !text.hasPrefix("0x"), !text.hasPrefix("0X"), text.last == "e" || text.last == "E",
            next == "+" || next == "-"
        {
            text += take { $0 == "+" || $0 == "-" } + take { $0.properties.isIDContinue }
        }
        guard let value = Self.magnitude(text) else {
            position = start
            throw wrong("not a number")
        }
        switch value {
        case .integer(let integer): return .integer(isNegative ? -integer : integer)
        case .number(let number): return .number(isNegative ? -number : number)
        default: return value
        }
    }

    private static func magnitude(_ text: String) -> JSON? {
        if text == "Infinity" { return .number(.infinity) }
        if text == "NaN" { return .number(.nan) }
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            return Int64(text.dropFirst(2), radix: 16).map { .integer($0) }
        }
        let halves = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        let parts = halves[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let exponent = halves.count == 2 ? halves[1].drop { $0 == "+" || $0 == "-" } : "0"
        let digits = parts + [exponent]
        guard digits.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }), !exponent.isEmpty,
            parts.contains(where: { !$0.isEmpty }), parts[0].count < 2 || parts[0].first != "0"
        else { return nil }
        if halves.count == 1, parts.count == 1, let integer = Int64(text) { return .integer(integer) }
        let whole = parts[0].isEmpty ? "0" : parts[0]
        let fraction = parts.count == 2 && !parts[1].isEmpty ? parts[1] : "0"
        return Double("\(whole).\(fraction)e\(halves.count == 2 ? halves[1] : "0")").map { .number($0) }
    }

    // MARK: - Strings

    /// Reads a string in quotes of either kind.
    mutating func string() throws(ConfigurationError) -> String {
        let start = position
        let quote = next
        position += 1
        var units: [UInt16] = []
        while let next, next != quote {
            guard next != "\n", next != "\r" else { throw unexpected() }
            position += 1
            if next == "\\" {
                units += try escape()
            } else {
                units += UTF16.encode(next).map { Array($0) } ?? []
            }
        }
        guard next != nil else { throw unexpected() }
        guard let text = String(validating: units, as: UTF16.self) else { throw wrong("half of a surrogate pair") }
        if JSON.hasTooManyMarks(text) { throw tooManyMarks(at: start) }
        position += 1
        return text
    }

    /// Reads what follows a backslash.
    private mutating func escape() throws(ConfigurationError) -> [UInt16] {
        guard let next else { throw unexpected() }
        position += 1
        switch next {
        case "b": return [0x08]
        case "f": return [0x0C]
        case "n": return [0x0A]
        case "r": return [0x0D]
        case "t": return [0x09]
        case "v": return [0x0B]
        case "x": return [try hexadecimal(digits: 2)]
        case "u": return [try hexadecimal(digits: 4)]
        case "0" where !(self.next.map { "0"..."9" ~= $0 } ?? false): return [0]
        case "0"..."9":
            position -= 1
            throw unexpected()
        case "\r":
            _ = skip("\n")
            return []
        case _ where Self.isLineEnd(next): return []
        default: return UTF16.encode(next).map { Array($0) } ?? []
        }
    }

    private mutating func hexadecimal(digits: Int) throws(ConfigurationError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<digits {
            guard let next, next.isASCII, let digit = Character(next).hexDigitValue else { throw unexpected() }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }
}
