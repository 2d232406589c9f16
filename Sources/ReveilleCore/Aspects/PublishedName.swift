// SPDX-License-Identifier: Apache-2.0

/// The rules for names that programs publish.
package enum PublishedName {
    /// The longest name in bytes, as for names on D-Bus.
    package static let lengthLimit = 255

    /// Returns whether a text is a published name or, with `isPrefix`, the start of a published name up to and
    /// including a dot.
    static func isValid(_ text: Span<UInt8>, isPrefix: Bool) -> Bool {
        var dots = 0
        var wordLength = 0
        for index in text.indices {
            if text[index] == UInt8(ascii: ".") {
                guard wordLength > 0 else { return false }
                dots += 1
                wordLength = 0
            } else {
                guard isAllowed(text[index]) else { return false }
                wordLength += 1
            }
        }
        return dots > 0 && (wordLength == 0) == isPrefix
    }

    /// Returns whether a byte is a letter, a digit, `-` or `_`.
    package static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
