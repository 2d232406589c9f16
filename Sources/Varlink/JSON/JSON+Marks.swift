// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension JSON {
    /// Returns whether a string has more than ``Limits/marks`` combining marks in a row.
    ///
    /// Every parser checks this before it compares the string with anything.
    package static func hasTooManyMarks(_ string: String) -> Bool {
        // A mark takes at least two bytes of UTF-8, and most strings are short or ASCII.
        string.utf8.count > 2 * Limits.marks && string.utf8.contains { $0 >= 0x80 } && hasLongRunOfMarks(string)
    }

    private static func hasLongRunOfMarks(_ string: String) -> Bool {
        var marks = 0
        for scalar in string.unicodeScalars {
            marks = scalar.isMark ? marks + 1 : 0
            if marks > Limits.marks { return true }
        }
        return false
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        guard value >= 0x300 else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }
}
