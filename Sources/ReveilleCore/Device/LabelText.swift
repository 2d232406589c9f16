// SPDX-License-Identifier: Apache-2.0

/// Text of firmware and files that programs show to people.
enum LabelText {
    /// The maximum length in bytes; firmware has at most 64, and nobody reads longer names.
    static let limit = 256

    /// Returns a text, up to a NUL as in a device tree, without the white space around it.
    ///
    /// It is `nil` if it is invisible, longer than ``limit``, not UTF-8, or contains control characters.
    static func text(_ bytes: some Sequence<UInt8>) -> String? {
        let label = Array(bytes.prefix { $0 != 0 }.prefix(4 * limit)).trimmed(\.isSpace)
        guard !label.isEmpty, label.count <= limit, let text = String(validating: label, as: UTF8.self) else {
            return nil
        }
        let categories = text.unicodeScalars.lazy.map(\.properties.generalCategory)
        let isVisible = categories.contains { ![.control, .format, .spaceSeparator].contains($0) }
        return isVisible && !categories.contains(.control) && !CombiningMarks.areTooMany(in: text) ? text : nil
    }

    /// Returns a text of firmware, as ``text(_:)`` does; `nil` for a filler.
    static func firmware(_ bytes: some Sequence<UInt8>) -> String? {
        text(bytes).flatMap { isFiller($0) ? nil : $0 }
    }

    /// Returns whether a text is a filler that vendors leave in place of a name.
    private static func isFiller(_ text: String) -> Bool {
        let letters = text.utf8.filter { $0.isLetter || $0.isDigit }.map { $0.isLetter ? $0 | 0x20 : $0 }
        // A text of punctuation, or of one character alone: `...`, `xxxx`, `00000`.
        guard let first = letters.first, letters.contains(where: { $0 != first }) else {
            return text.utf8.allSatisfy { $0 < 0x80 }
        }
        return fillers.contains(String(decoding: letters, as: UTF8.self))
    }

    /// The fillers, by their lowercase letters and digits, because vendors vary the rest: `To Be Filled By O.E.M.`.
    private static let fillers: Set<String> = [
        "0123456789", "123456789", "1234567890", "defaultstring", "default", "empty", "invalid", "na", "none",
        "noneprovided", "null", "notapplicable", "notavailable", "notspecified", "oem", "oemdefaultstring000",
        "productname", "smbiostype1systemmanufacturer", "standard", "systemmanufacturer", "systemname",
        "systemproductname", "systemversion", "tbd", "tbdbyoem", "tobefilledbyoem", "tobesetbyoem", "type1family",
        "type1productconfigid", "undefined", "unknow", "unknown", "unspecified", "vendorname",
    ]
}
