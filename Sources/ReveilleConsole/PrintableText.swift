// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
package import Varlink

extension StringProtocol {
    /// The number of terminal columns that the text occupies.
    package var columns: Int {
        reduce(0) { $0 + $1.columns }
    }

    /// Returns the text truncated to a number of columns, with an ellipsis at the end if it is truncated.
    package func truncated(to columns: Int) -> String {
        guard self.columns > columns else { return String(self) }
        var rest = columns - 1
        let start = prefix { character in
            rest -= character.columns
            return rest >= 0
        }
        return columns > 0 ? start + "…" : ""
    }
}

extension JSON {
    /// The value as JSON without control characters.
    ///
    /// JSON requires escapes only for control characters below U+0020. The others occur only in strings, where an
    /// escape is equivalent.
    package var printable: String {
        let text = description
        guard text.unicodeScalars.contains(where: \.isControl) else { return text }
        return text.unicodeScalars.reduce(into: "") { text, scalar in
            let digits = String(scalar.value, radix: 16)
            text +=
                scalar.isControl
                ? "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits : String(scalar)
        }
    }
}

extension Character {
    /// The blocks of wide characters, from Hangul to the ideographs of the supplementary planes, and emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
    ]

    package var columns: Int {
        guard let first = unicodeScalars.first, !isASCII else { return 1 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return Self.wide.contains { $0.contains(first.value) } ? 2 : 1
        }
    }
}
