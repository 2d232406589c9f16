// SPDX-License-Identifier: Apache-2.0

extension RelaxedJSON {
    mutating func word(_ word: StaticString, _ value: SettingsValue) throws(FormatError) -> SettingsValue {
        guard takeWord(word), nameWidth == 0 else { throw unexpected() }
        return value
    }

    mutating func name() throws(FormatError) -> String {
        let start = position
        guard let first = scalar, first == "$" || first == "_" || first.properties.isIDStart else {
            throw unexpected()
        }
        while case let width = nameWidth, width > 0 { position += width }
        return bytes[start..<position].text
    }

    /// The length of the next character in bytes if it can be part of a name, otherwise 0.
    private var nameWidth: Int {
        guard let next else { return 0 }
        if next < 0x80 {
            return next.isLetter || next.isDigit || next == UInt8(ascii: "$") || next == UInt8(ascii: "_") ? 1 : 0
        }
        return scalar.map { $0.properties.isIDContinue ? UTF8.width($0) : 0 } ?? 0
    }

    /// Reads a number: an integer if `Int64` or `UInt64` can represent it, otherwise the nearest `Double`.
    mutating func number() throws(FormatError) -> SettingsValue {
        let start = position
        guard let value = signedNumber(), nameWidth == 0, next != UInt8(ascii: ".") else {
            position = start
            throw FormatError("not a number")
        }
        return value
    }

    private mutating func signedNumber() -> SettingsValue? {
        let start = position
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        if next == UInt8(ascii: "I") { return takeWord("Infinity") ? .real(isNegative ? -.infinity : .infinity) : nil }
        if next == UInt8(ascii: "N") { return takeWord("NaN") ? .real(.nan) : nil }
        let first = position
        let whole = digits()
        let hasLeadingZero = whole > 0 && bytes[first] == UInt8(ascii: "0")
        if hasLeadingZero, whole == 1, take("x") || take("X") {
            let first = position
            while next?.hexadecimalValue != nil { position += 1 }
            return Int64(bytes[first..<position].text, radix: 16).map { .integer(Int128(isNegative ? -$0 : $0)) }
        }
        var isInteger = true
        var fraction = 0
        if take(".") {
            fraction = digits()
            isInteger = false
        }
        guard whole + fraction > 0, whole < 2 || !hasLeadingZero else { return nil }
        if take("e") || take("E") {
            if !take("-") { _ = take("+") }
            guard digits() > 0 else { return nil }
            isInteger = false
        }
        let text = bytes[start..<position].text
        if isInteger, let integer = Int64(text).map({ Int128($0) }) ?? UInt64(text).map({ Int128($0) }) {
            return .integer(integer)
        }
        // As infinity, two numbers beyond a double would be one value.
        return Double(text).map { $0.isFinite ? .real($0) : .string(text) }
    }

    private mutating func digits() -> Int {
        let start = position
        while let next, next.isDigit { position += 1 }
        return position - start
    }

    mutating func string() throws(FormatError) -> String {
        let quote = bytes[position]
        position += 1
        var text: [UInt8] = []
        while true {
            let start = position
            while let next, next != quote, next != UInt8(ascii: "\\"), !next.isNewline { position += 1 }
            text += bytes[start..<position]
            if next == quote {
                position += 1
                return String(decoding: text, as: UTF8.self)
            }
            guard take("\\") else { throw unexpected() }
            try escape(into: &text)
        }
    }

    private mutating func escape(into text: inout [UInt8]) throws(FormatError) {
        guard let byte = next, !isAtSeparator else {
            guard next != nil else { throw unexpected() }
            position += 3
            return
        }
        position += 1
        switch byte {
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "v"): text.append(0x0B)
        case UInt8(ascii: "x"): text += String(Unicode.Scalar(UInt8(try hexadecimal(digits: 2)))).utf8
        case UInt8(ascii: "u"): text += String(try escapedScalar()).utf8
        case UInt8(ascii: "0") where next?.isDigit != true: text.append(0)
        case _ where byte.isDigit:
            position -= 1
            throw unexpected()
        case UInt8(ascii: "\r"): _ = take("\n")
        case UInt8(ascii: "\n"): break
        // Any other character stands for itself; its remaining bytes are read as plain text.
        default: text.append(byte)
        }
    }

    /// Reads the digits after `\u`, and a second escape if the first is half of a surrogate pair.
    private mutating func escapedScalar() throws(FormatError) -> Unicode.Scalar {
        let unit = try hexadecimal(digits: 4)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        if UTF16.isLeadSurrogate(unit), takeWord("\\u") {
            let second = try hexadecimal(digits: 4)
            if UTF16.isTrailSurrogate(second) { return UTF16.decode(UTF16.EncodedScalar([unit, second])) }
        }
        throw FormatError("half of a surrogate pair")
    }

    private mutating func hexadecimal(digits: Int) throws(FormatError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<digits {
            guard let digit = next?.hexadecimalValue else { throw unexpected() }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }
}
