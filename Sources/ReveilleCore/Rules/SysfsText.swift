// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Text as the kernel's drivers write it to sysfs.
package enum SysfsText {
    /// The text without the white space around it.
    package static func trimmed(_ text: String) -> String {
        var rest = text[...]
        while let last = rest.last, last.isWhitespace { rest = rest.dropLast() }
        return String(rest.drop { $0.isWhitespace })
    }

    /// A number, decimals allowed, the same in every language; `nil` for everything else, NaN and infinity too.
    package static func number(_ text: String?) -> Double? {
        guard let text else { return nil }
        let trimmed = trimmed(text)
        // Double's own grammar also takes hexadecimal and words.
        guard trimmed.utf8.allSatisfy({ (0x30...0x39).contains($0) || ".+-eE".utf8.contains($0) }) else { return nil }
        return Double(trimmed).flatMap { $0.isFinite ? $0 : nil }
    }
}
