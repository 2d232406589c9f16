// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension JSON {
    /// Says whether a string has more combining marks in a row than ``Limits/marks``.
    ///
    /// Every reader asks this before the string is compared with anything.
    package static func hasTooManyMarks(_ string: String) -> Bool {
        // A mark takes two bytes or more, and the usual string is short or plain.
        guard string.utf8.count > 2 * Limits.marks, string.utf8.contains(where: { $0 >= 0x80 }) else { return false }
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
