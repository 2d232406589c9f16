// SPDX-License-Identifier: Apache-2.0

/// Text as the kernel's drivers write it to sysfs.
package enum SysfsText {
    package static func trimmed(_ text: String) -> String {
        String(Substring(text.utf8.trimmed(\.isSpace)))
    }

    /// Returns whether the text is a lowercase word of ASCII characters, in any case and with white space around it.
    package static func isWord(_ text: String, _ word: String) -> Bool {
        let (bytes, letters) = (text.utf8Span.span, word.utf8Span.span)
        let content = content(of: bytes)
        guard content.count == letters.count else { return false }
        for index in letters.indices {
            let (byte, letter) = (bytes[content.lowerBound + index], letters[index])
            guard byte == letter || letter.isLetter && byte | 0x20 == letter else { return false }
        }
        return true
    }

    /// The positions without the white space at both ends.
    private static func content(of bytes: Span<UInt8>) -> Range<Int> {
        var (start, end) = (0, bytes.count)
        while start < end, bytes[start].isSpace { start += 1 }
        while start < end, bytes[end - 1].isSpace { end -= 1 }
        return start..<end
    }

    package static func words(_ text: String) -> [String] {
        text.utf8.split(whereSeparator: \.isSpace).map { String(Substring($0)) }
    }

    /// Returns a decimal number, read the same in every locale; `nil` for anything else, NaN and infinity included.
    package static func number(_ text: String?) -> Double? {
        guard let text else { return nil }
        if let number = integer(text) { return number }
        let trimmed = trimmed(text)
        // Double's own grammar also accepts hexadecimal numbers and words.
        guard trimmed.utf8.allSatisfy({ $0.isDigit || ".+-eE".utf8.contains($0) }) else { return nil }
        return Double(trimmed).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns a decimal number in a range; `nil` for anything else.
    package static func number(_ text: String?, in range: ClosedRange<Double>) -> Double? {
        number(text).flatMap { range.contains($0) ? $0 : nil }
    }

    /// The largest number of decimal digits with which every integer is exact as a `Double`.
    private static let exactDigits = 15

    /// Returns a number that consists of digits alone, like most attributes; `nil` for any other text.
    private static func integer(_ text: String) -> Double? {
        let bytes = text.utf8Span.span
        let digits = content(of: bytes)
        guard !digits.isEmpty, digits.count <= exactDigits else { return nil }
        var number = 0
        for index in digits {
            guard bytes[index].isDigit else { return nil }
            number = number * 10 + Int(bytes[index] - UInt8(ascii: "0"))
        }
        return Double(number)
    }
}
