// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// How many combining marks a key may have in a row.
///
/// Swift puts them in order wherever it compares strings, which takes the square of their number: for a key of
/// 4 MiB that is minutes. No language puts more than a handful on one letter.
/// Unicode's stream-safe text has no more either (https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format).
package enum CombiningMarks {
    /// The most in a row.
    package static let limit = 30

    /// Says whether a text has more of them in a row; to be asked before the text is compared with anything.
    package static func areTooMany(in text: String) -> Bool {
        // A mark takes two bytes or more, and the usual key is short or plain.
        guard text.utf8.count > 2 * limit, text.utf8.contains(where: { $0 >= 0x80 }) else { return false }
        var marks = 0
        for scalar in text.unicodeScalars {
            marks = isMark(scalar) ? marks + 1 : 0
            if marks > limit { return true }
        }
        return false
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }
}
