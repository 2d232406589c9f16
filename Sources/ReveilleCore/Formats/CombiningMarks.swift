// SPDX-License-Identifier: Apache-2.0

/// The limit on consecutive combining marks in a key.
///
/// Swift sorts them wherever it compares strings, which takes quadratic time: minutes for a key of 4 MiB. No language
/// puts more than a handful on one letter, and Unicode's stream-safe text has the same limit
/// (https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format).
package enum CombiningMarks {
    /// The largest number in a row.
    package static let limit = 30

    /// Returns whether a text exceeds the limit; check this before comparing the text with anything.
    package static func areTooMany(in text: String) -> Bool {
        // A mark takes at least two bytes, and the usual key is short or ASCII.
        guard text.utf8.count > 2 * limit, text.utf8.contains(where: { $0 >= 0x80 }) else { return false }
        var marks = 0
        for scalar in text.unicodeScalars {
            marks = isMark(scalar) ? marks + 1 : 0
            if marks > limit { return true }
        }
        return false
    }

    /// Returns whether a scalar is combined with the preceding scalar.
    static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }
}
