// SPDX-License-Identifier: Apache-2.0

/// A position in the text of an interface, which advances past white space, comments and words.
struct InterfaceScanner {
    private let scalars: [Unicode.Scalar]
    private(set) var position = 0

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    var next: Unicode.Scalar? {
        position < scalars.count ? scalars[position] : nil
    }

    /// Skips the expected word or sign if it comes next, and returns whether it did.
    mutating func skip(_ expected: String) -> Bool {
        guard scalars[position...].starts(with: expected.unicodeScalars) else { return false }
        position += expected.unicodeScalars.count
        return true
    }

    /// Skips white space, line ends and comments.
    mutating func skipSpace() {
        while skipLineEnd() {}
    }

    /// Skips white space, a comment and the line end after them, and returns whether the line ended there.
    mutating func skipLineEnd() -> Bool {
        while let next, InterfaceScanner.isWhitespace(next) { position += 1 }
        if next == "#" {
            while let next, !InterfaceScanner.isLineEnd(next) { position += 1 }
        }
        guard let next, InterfaceScanner.isLineEnd(next) else { return false }
        position += 1
        if next == "\r", self.next == "\n" { position += 1 }
        return true
    }

    /// Takes the longest, possibly empty, run of characters that can be part of a word.
    mutating func word(_ isPart: (Unicode.Scalar) -> Bool) -> String {
        let start = position
        while let next, isPart(next) { position += 1 }
        var word = ""
        word.unicodeScalars.append(contentsOf: scalars[start..<position])
        return word
    }

    func error(_ reason: String, at position: Int) -> InterfaceError {
        var line = 1
        var column = 1
        for index in 0..<position {
            let isPair = scalars[index] == "\r" && index + 1 < scalars.count && scalars[index + 1] == "\n"
            if InterfaceScanner.isLineEnd(scalars[index]), !isPair {
                line += 1
                column = 1
            } else {
                column += 1
            }
        }
        return InterfaceError(line: line, column: column, reason: reason)
    }

    private static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\n", "\r", "\u{2028}", "\u{2029}": true
        default: false
        }
    }

    private static func isWhitespace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case " ", "\t", "\u{A0}", "\u{FEFF}", "\u{1680}", "\u{180E}", "\u{2000}"..."\u{200A}", "\u{202F}",
            "\u{205F}", "\u{3000}":
            true
        default: false
        }
    }
}
