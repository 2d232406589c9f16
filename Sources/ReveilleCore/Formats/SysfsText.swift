// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Text as the kernel's drivers write it to sysfs.
package enum SysfsText {
    /// Returns the text without the white space around it.
    package static func trimmed(_ text: String) -> String {
        String(Substring(text.utf8.trimmed(\.isSpace)))
    }

    /// Returns the words that white space separates.
    package static func words(_ text: String) -> [String] {
        text.utf8.split(whereSeparator: \.isSpace).map { String(Substring($0)) }
    }

    /// Returns a decimal number, read the same in every locale; `nil` for anything else, NaN and infinity included.
    package static func number(_ text: String?) -> Double? {
        guard let text else { return nil }
        let trimmed = trimmed(text)
        // Double's own grammar also accepts hexadecimal numbers and words.
        guard trimmed.utf8.allSatisfy({ $0.isDigit || ".+-eE".utf8.contains($0) }) else { return nil }
        return Double(trimmed).flatMap { $0.isFinite ? $0 : nil }
    }
}
