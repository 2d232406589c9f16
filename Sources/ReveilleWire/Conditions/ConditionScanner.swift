// SPDX-License-Identifier: Apache-2.0

import Varlink

/// A position in the text of a condition, which advances past one token at a time.
struct ConditionScanner {
    enum Token: Hashable {
        /// A field, a keyword or a literal without quotes.
        case word(String)
        /// A number or a string.
        case literal(JSON)
        case `operator`(Condition.Operator)
        case open
        case close
        case end
    }

    private let scalars: [Unicode.Scalar]
    private var position = 0
    private(set) var token = Token.end
    private(set) var text = ""
    /// The column of the next token in characters, starting at 1.
    private(set) var column = 1

    init(_ condition: String) throws(ConditionError) {
        scalars = Array(condition.unicodeScalars)
        try advance()
    }

    /// The next token and its column, or the end, for error messages.
    var place: String { token == .end ? "at the end" : "at column \(column), not '\(text)'" }

    mutating func advance() throws(ConditionError) {
        while let next, next.properties.isWhitespace { position += 1 }
        column = position + 1
        guard let next else {
            token = .end
            text = ""
            return
        }
        switch next {
        case "(", ")":
            position += 1
            text = String(next)
            token = next == "(" ? .open : .close
        case "\"", "'": token = .literal(.string(try string(quote: next)))
        case "0"..."9", "-", "+", ".": token = .literal(try number())
        case _ where Self.isWordPart(next):
            text = take(while: Self.isWordPart)
            token = .word(text)
        default: token = .operator(try `operator`())
        }
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func take(while isPart: (Unicode.Scalar) -> Bool) -> String {
        let start = position
        while let next, isPart(next) { position += 1 }
        return Self.string(scalars[start..<position])
    }

    private mutating func number() throws(ConditionError) -> JSON {
        text = take { Self.isWordPart($0) || $0 == "+" }
        guard let number = try? JSON.parse(Array(text.utf8)), number.numberValue != nil else {
            throw ConditionError("'\(text)' at column \(column) is neither a number nor a quoted string")
        }
        if next == "%", let percent = number.numberValue {
            throw ConditionError("use \(percent / 100) instead of the '\(text)%' at column \(column)")
        }
        return number
    }

    /// Scans a string, with `\` as the escape for a quotation mark or a backslash.
    private mutating func string(quote: Unicode.Scalar) throws(ConditionError) -> String {
        let start = position
        position += 1
        var content = String.UnicodeScalarView()
        while let next, next != quote {
            position += 1
            guard next == "\\" else {
                content.append(next)
                continue
            }
            guard let escaped = self.next, escaped == quote || escaped == "\\" else {
                throw ConditionError("only \(quote) and \\ can follow the \\ at column \(position)")
            }
            content.append(escaped)
            position += 1
        }
        guard next != nil else { throw ConditionError("the \(quote) at column \(column) is not closed") }
        position += 1
        text = Self.string(scalars[start..<position])
        return String(content)
    }

    private mutating func `operator`() throws(ConditionError) -> Condition.Operator {
        text = take { "=!<>&|".unicodeScalars.contains($0) }
        if let known = Condition.Operator(rawValue: text) { return known }
        if let word = Self.otherSigns[text] {
            throw ConditionError("use \(word) instead of the '\(text)' at column \(column)")
        }
        let sign = text.isEmpty ? Self.string(scalars[position...position]) : text
        throw ConditionError("unexpected '\(sign)' at column \(column)")
    }

    /// The signs of other languages.
    private static let otherSigns = [
        "=": "==", "===": "==", "=<": "<=", "=>": ">=", "<>": "!=", "!": "not", "&": "and", "&&": "and", "|": "or",
        "||": "or",
    ]

    private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".": true
        default: false
        }
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}
