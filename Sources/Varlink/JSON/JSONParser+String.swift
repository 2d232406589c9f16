// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension JSONParser {
    /// Parses a string, including its quotes.
    mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = position
        position += 1
        var text = try plain(bytes)
        while bytes[position] != UInt8(ascii: "\"") {
            text.unicodeScalars.append(try escape(bytes))
            text += try plain(bytes)
        }
        position += 1
        guard !JSON.hasTooManyMarks(text) else {
            throw JSONError(offset: start, reason: .tooManyMarks(maximum: Limits.marks))
        }
        return text
    }

    /// Parses up to the next quote or backslash, which is not consumed.
    private mutating func plain(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = position
        var end = start
        while end < bytes.count, JSONParser.isPlain(bytes[end]) { end += 1 }
        position = end
        guard end < bytes.count, bytes[end] >= 0x20 else { throw unexpected(bytes) }
        do {
            return String(copying: try UTF8Span(validating: bytes.extracting(start..<end)))
        } catch {
            throw JSONError(offset: start + error.byteOffsets.lowerBound, reason: .invalidUTF8)
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Parses an escape sequence.
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
