// SPDX-License-Identifier: Apache-2.0

import Varlink

/// A parser for conditions.
///
///     condition  = all *("or" all)
///     all        = part *("and" part)
///     part       = "not" part / "(" condition ")" / comparison
///     comparison = field operator literal
private struct ConditionParser {
    /// The deepest nesting of parentheses and `not`; parsing, evaluation and release are recursive.
    static let maximumDepth = 32
    private static let keywords: Set<String> = ["and", "or", "not", "true", "false", "null"]

    private var scanner: ConditionScanner

    init(_ text: String) throws(ConditionError) {
        scanner = try ConditionScanner(text)
    }

    mutating func parse() throws(ConditionError) -> Condition {
        guard scanner.token != .end else { throw ConditionError("the condition is empty") }
        let condition = try any(depth: 1)
        guard scanner.token == .end else {
            if scanner.token == .close { throw ConditionError("the ) at column \(scanner.column) has no (") }
            throw ConditionError("expected 'and' or 'or' \(scanner.place)")
        }
        return condition
    }

    private mutating func any(depth: Int) throws(ConditionError) -> Condition {
        var conditions = [try all(depth: depth)]
        while try skip("or") { conditions.append(try all(depth: depth)) }
        return conditions.count == 1 ? conditions[0] : .any(conditions)
    }

    private mutating func all(depth: Int) throws(ConditionError) -> Condition {
        var conditions = [try part(depth: depth)]
        while try skip("and") { conditions.append(try part(depth: depth)) }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private mutating func part(depth: Int) throws(ConditionError) -> Condition {
        guard depth <= Self.maximumDepth else {
            throw ConditionError("nested deeper than \(Self.maximumDepth) levels at column \(scanner.column)")
        }
        if try skip("not") { return .not(try part(depth: depth + 1)) }
        guard scanner.token == .open else { return .comparison(try comparison()) }
        let column = scanner.column
        try scanner.advance()
        let condition = try any(depth: depth + 1)
        guard scanner.token == .close else {
            if scanner.token == .end { throw ConditionError("the ( at column \(column) is not closed") }
            throw ConditionError("expected 'and', 'or' or ) \(scanner.place)")
        }
        try scanner.advance()
        return condition
    }

    private mutating func comparison() throws(ConditionError) -> Condition.Comparison {
        let path = try field()
        guard case .operator(let `operator`) = scanner.token else {
            let operators = Condition.Operator.allCases.map(\.rawValue)
            throw ConditionError(
                "expected \(operators.dropLast().joined(separator: ", ")) or \(operators.last ?? "") \(scanner.place)")
        }
        try scanner.advance()
        return Condition.Comparison(path: path, operator: `operator`, literal: try literal())
    }

    private mutating func field() throws(ConditionError) -> [String] {
        guard case .word(let word) = scanner.token, !Self.keywords.contains(word) else {
            throw ConditionError("expected a field \(scanner.place)")
        }
        let path = word.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !path.contains("") else { throw ConditionError("expected a field \(scanner.place)") }
        try scanner.advance()
        return path
    }

    private mutating func literal() throws(ConditionError) -> JSON {
        let literal: JSON
        switch scanner.token {
        case .literal(let value): literal = value
        case .word("true"): literal = true
        case .word("false"): literal = false
        case .word("null"): literal = .null
        case .word(let word) where !Self.keywords.contains(word): literal = .string(word)
        default: throw ConditionError("expected a value \(scanner.place)")
        }
        try scanner.advance()
        return literal
    }

    /// Skips a keyword if it comes next, and returns whether it did.
    private mutating func skip(_ keyword: String) throws(ConditionError) -> Bool {
        guard scanner.token == .word(keyword) else { return false }
        try scanner.advance()
        return true
    }
}

extension Condition {
    /// Parses comparisons with `==`, `!=`, `<`, `<=`, `>` or `>=`, joined by `and`, `or`, `not` and parentheses.
    ///
    /// Strings that are not a word of letters, digits, `_`, `-` and `.` are quoted.
    package init(parsing text: String) throws(ConditionError) {
        var parser = try ConditionParser(text)
        self = try parser.parse()
    }
}

/// The reason why a text is not a condition, or a condition does not fit the states of an aspect.
package struct ConditionError: Error, Sendable, Hashable {
    package let reason: String
    /// The invalid word, if it may be a misspelling of a candidate; see ``candidates``.
    package let word: String
    /// The valid words in place of the invalid one.
    package let candidates: [String]

    init(_ reason: String, word: String = "", candidates: [String] = []) {
        self.reason = reason
        self.word = word
        self.candidates = candidates
    }
}
