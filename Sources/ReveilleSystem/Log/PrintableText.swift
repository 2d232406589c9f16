// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// The text with all characters escaped that could control a terminal or hide other text: `\n`, `\u{1B}`.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isControl) else { return String(self) }
        return unicodeScalars.reduce(into: "") { $0 += $1.isControl ? $1.escaped : String($1) }
    }
}

extension Unicode.Scalar {
    /// Whether this is a control character (C0, DEL or C1), a line or paragraph separator, or a bidi control.
    package var isControl: Bool {
        if value < 0x7F { return value < 0x20 }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        default: return properties.isBidiControl
        }
    }

    fileprivate var escaped: String {
        switch self {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(value, radix: 16, uppercase: true))}"
        }
    }
}
