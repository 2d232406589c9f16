// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The rules for names that programs publish.
package enum PublishedName {
    /// The longest name in bytes, as for names on D-Bus.
    package static let lengthLimit = 255

    /// Returns whether a text is a published name; with `isPrefix`, the start of one that ends in a dot.
    static func isValid(_ text: Substring, isPrefix: Bool) -> Bool {
        var words = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if isPrefix {
            guard words.popLast()?.isEmpty == true else { return false }
        }
        return words.count >= (isPrefix ? 1 : 2) && words.allSatisfy { !$0.isEmpty && $0.allSatisfy(isAllowed) }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
