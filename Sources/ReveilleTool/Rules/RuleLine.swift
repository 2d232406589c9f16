// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A rule as it is written: one line of a file, or several that end with a backslash.
struct RuleLine: Equatable, Sendable {
    /// The number of its first line in the file, from 1.
    let number: Int
    let text: String

    /// Returns the rules of a file, without comments and empty lines.
    static func lines(of text: String) -> [RuleLine] {
        var rules: [RuleLine] = []
        var open: RuleLine?
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let whole = RuleLine(number: open?.number ?? index + 1, text: (open?.text ?? "") + line)
            if line.last == "\\", open != nil || line.first(where: { !$0.isWhitespace }) != "#" {
                open = RuleLine(number: whole.number, text: String(whole.text.dropLast()))
            } else {
                rules.append(whole)
                open = nil
            }
        }
        return (rules + (open.map { [$0] } ?? [])).map(\.withoutComment).filter { !$0.text.isEmpty }
    }

    /// The text before an unquoted `#` that begins a word, without white space around it.
    private var withoutComment: RuleLine {
        var quote: Character?
        var isEscaped = false
        var previous: Character = " "
        let end =
            text.firstIndex { character in
                defer { previous = character }
                if isEscaped {
                    isEscaped = false
                } else if character == "\\", quote != "'" {
                    isEscaped = true
                } else if let open = quote {
                    if character == open { quote = nil }
                } else if character == "'" || character == "\"" {
                    quote = character
                } else {
                    return character == "#" && previous.isWhitespace
                }
                return false
            } ?? text.endIndex
        var kept = text[..<end].drop(while: \.isWhitespace)
        while kept.last?.isWhitespace == true { kept.removeLast() }
        return RuleLine(number: number, text: String(kept))
    }

    /// Splits the text into words as a shell would (wordexp(3)), without running anything.
    func words() throws(RuleError) -> [String] {
        guard !text.utf8.contains(0) else { throw RuleError(number, "a NUL character is not allowed") }
        var result = wordexp_t()
        let code = wordexp(text, &result, Int32(WRDE_NOCMD) | Int32(WRDE_UNDEF))
        defer { if code == 0 { wordfree(&result) } }
        switch Int(code) {
        case 0: return (0..<Int(result.we_wordc)).compactMap { result.we_wordv[$0].map { String(cString: $0) } }
        case Int(WRDE_BADCHAR): throw RuleError(number, "one of | & ; < > ( ) { } must be in quotes")
        case Int(WRDE_BADVAL):
            throw RuleError(number, "a variable after $ is not set; put a literal $ in quotes")
        case Int(WRDE_CMDSUB): throw RuleError(number, "commands in $(…) or `…` are not run; write sh -c '…'")
        case Int(WRDE_SYNTAX): throw RuleError(number, "a quote or a bracket is not closed")
        default: throw RuleError(number, "too long")
        }
    }
}

/// A rule that cannot be followed: its line, and the reason.
struct RuleError: Error, CustomStringConvertible {
    let number: Int
    let reason: String

    init(_ number: Int, _ reason: String) {
        (self.number, self.reason) = (number, reason)
    }

    var description: String { "line \(number): \(reason)" }
}
