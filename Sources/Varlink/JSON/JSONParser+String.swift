// SPDX-License-Identifier: Apache-2.0

extension JSONParser {
    /// Parses a string, including its quotes.
    @inline(__always)
    mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> JSONText.Part {
        let start = position + 1
        let end = bytes.endOfPlainASCII(from: start)
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return try unusualString(bytes) }
        position = end + 1
        return JSONText.Part(start: start, end: end)
    }

    /// Parses a string with escapes or characters other than ASCII.
    private mutating func unusualString(_ bytes: Span<UInt8>) throws(JSONError) -> JSONText.Part {
        let quote = position
        position += 1
        try plain(bytes)
        let part: JSONText.Part
        if bytes[position] == UInt8(ascii: "\"") {
            part = JSONText.Part(start: quote + 1, end: position)
            try checkMarks(bytes.extracting(part.start..<part.end), of: quote)
        } else {
            let start = unescaped.count
            try unescape(bytes, from: quote + 1)
            try checkMarks(unescaped.span.extracting(start...), of: quote)
            // These strings will follow the text.
            part = JSONText.Part(start: bytes.count + start, end: bytes.count + unescaped.count)
        }
        position += 1
        return part
    }

    /// Appends the rest of a string to the unescaped ones, from its start; the position is at its first escape.
    private mutating func unescape(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) {
        var start = start
        while true {
            for index in start..<position { unescaped.append(bytes[index]) }
            guard bytes[position] != UInt8(ascii: "\"") else { return }
            unescaped += try escape(bytes).utf8
            start = position
            try plain(bytes)
        }
    }

    private func checkMarks(_ string: Span<UInt8>, of quote: Int) throws(JSONError) {
        guard !JSON.hasTooManyMarks(string) else {
            throw JSONError(offset: quote, reason: .tooManyMarks(maximum: Limits.marks))
        }
    }

    /// Skips to the next quote or backslash.
    private mutating func plain(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = position
        position = bytes.endOfPlainASCII(from: start)
        guard position < bytes.count, bytes[position] >= 0x80 else { return try checkEnd(bytes) }
        while position < bytes.count, JSONParser.isPlain(bytes[position]) { position += 1 }
        try checkEnd(bytes)
        do {
            _ = try UTF8Span(validating: bytes.extracting(start..<position))
        } catch {
            throw JSONError(offset: start + error.byteOffsets.lowerBound, reason: .invalidUTF8)
        }
    }

    /// Checks that a quote or a backslash follows, not the end or a control character.
    private func checkEnd(_ bytes: Span<UInt8>) throws(JSONError) {
        guard position < bytes.count, bytes[position] >= 0x20 else { throw unexpected(bytes) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func escape(_ bytes: Span<UInt8>) throws(JSONError) -> Unicode.Scalar {
        let start = position
        position += 1
        guard position < bytes.count else { throw unexpected(bytes) }
        let scalar: Unicode.Scalar
        switch bytes[position] {
        case UInt8(ascii: "\""): scalar = "\""
        case UInt8(ascii: "\\"): scalar = "\\"
        case UInt8(ascii: "/"): scalar = "/"
        case UInt8(ascii: "b"): scalar = "\u{8}"
        case UInt8(ascii: "f"): scalar = "\u{C}"
        case UInt8(ascii: "n"): scalar = "\n"
        case UInt8(ascii: "r"): scalar = "\r"
        case UInt8(ascii: "t"): scalar = "\t"
        case UInt8(ascii: "u"): return try unicodeEscape(bytes, start: start)
        default: throw unexpected(bytes)
        }
        position += 1
        return scalar
    }

    /// Parses `uXXXX`, and the second escape if the first is half of a surrogate pair.
    private mutating func unicodeEscape(
        _ bytes: Span<UInt8>, start: Int
    ) throws(JSONError) -> Unicode.Scalar {
        let high = try codeUnit(bytes)
        if let scalar = Unicode.Scalar(high) { return scalar }
        let loneSurrogate = JSONError(offset: start, reason: .loneSurrogate)
        guard UTF16.isLeadSurrogate(high), position + 1 < bytes.count,
            bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
        else { throw loneSurrogate }
        position += 1
        let low = try codeUnit(bytes)
        guard UTF16.isTrailSurrogate(low) else { throw loneSurrogate }
        return UTF16.decode(UTF16.EncodedScalar([high, low]))
    }

    private mutating func codeUnit(_ bytes: Span<UInt8>) throws(JSONError) -> UInt16 {
        position += 1
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard position < bytes.count, let digit = hexadecimalDigit(bytes[position]) else {
                throw unexpected(bytes)
            }
            unit = unit << 4 | digit
            position += 1
        }
        return unit
    }

    private func hexadecimalDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
