// SPDX-License-Identifier: Apache-2.0

package struct FormatError: Error, Hashable, CustomStringConvertible {
    /// The reason: `unexpected end`.
    package let reason: String
    /// The number of the line, counted from 1; `nil` for an error in the file as a whole.
    package let line: Int?
    /// Whether the file exceeds a limit, and is valid up to there.
    package let isLimit: Bool

    package init(_ reason: String, line: Int? = nil, isLimit: Bool = false) {
        self.reason = reason
        self.line = line
        self.isLimit = isLimit
    }

    /// One line of text: `line 3: unexpected end`.
    package var description: String {
        line.map { "line \($0): \(reason)" } ?? reason
    }
}
