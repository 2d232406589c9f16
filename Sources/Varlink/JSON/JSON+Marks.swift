// SPDX-License-Identifier: Apache-2.0

extension JSON {
    /// Returns whether a string, given in UTF-8, has more than ``Limits/marks`` combining marks in a row.
    ///
    /// Every parser checks this before it compares the string with anything.
    package static func hasTooManyMarks(_ text: Span<UInt8>) -> Bool {
        // A mark takes at least two bytes of UTF-8, and most strings are short.
        guard text.count > 2 * Limits.marks else { return false }
        do {
            var scalars = try UTF8Span(validating: text).makeUnicodeScalarIterator()
            var marks = 0
            while let scalar = scalars.next() {
                marks = scalar.isMark ? marks + 1 : 0
                if marks > Limits.marks { return true }
            }
        } catch {
            // The caller reports invalid UTF-8.
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
