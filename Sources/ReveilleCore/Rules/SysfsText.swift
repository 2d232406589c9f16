// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Text as the kernel's drivers write it to sysfs.
package enum SysfsText {
    /// The text without the white space around it.
    package static func trimmed(_ text: String) -> String {
        var rest = text.utf8[...]
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return String(Substring(rest.drop(while: isSpace)))
    }

    /// The words that white space parts.
    package static func words(_ text: String) -> [String] {
        text.utf8.split(whereSeparator: isSpace).map { String(Substring($0)) }
    }

    /// Says whether a byte is white space: a space, or from tab to carriage return.
    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
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
