// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Text as the kernel's drivers write it to sysfs.
package enum SysfsText {
    /// Returns the text without the white space around it.
    package static func trimmed(_ text: String) -> String {
        String(Substring(text.utf8.trimmed(\.isSpace)))
    }

    /// Returns whether the text is a word of ASCII characters, of any case and with white space around it.
    ///
    /// - Parameter word: The word in lowercase.
    package static func isWord(_ text: String, _ word: String) -> Bool {
        let bytes = text.utf8.trimmed(\.isSpace)
        return bytes.count == word.utf8.count
            && zip(bytes, word.utf8).allSatisfy { $0 == $1 || $1.isLetter && $0 | 0x20 == $1 }
    }

    /// Returns the words that white space separates.
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

    /// The most decimal digits of which every number is exact as a `Double`.
    private static let exactDigits = 15

    /// Returns a number of digits alone, as most attributes are; `nil` for any other text.
    private static func integer(_ text: String) -> Double? {
        let digits = text.utf8.trimmed(\.isSpace)
        guard !digits.isEmpty, digits.count <= exactDigits else { return nil }
        var number = 0
        for digit in digits {
            guard digit.isDigit else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return Double(number)
    }
}
