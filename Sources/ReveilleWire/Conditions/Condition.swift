// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// A condition on the state of an aspect, such as `level < 0.1 and plugged == false`.
///
/// It compares fields of the state's JSON structure with literals, so it applies to states of any shape. A field that
/// is absent is null.
package indirect enum Condition: Sendable, Hashable {
    case comparison(Comparison)
    case not(Condition)
    /// True if every condition is; two or more.
    case all([Condition])
    /// True if at least one condition is; two or more.
    case any([Condition])

    package struct Comparison: Sendable, Hashable {
        /// The field: its name, or the names that lead to it through nested objects.
        package let path: [String]
        package let `operator`: Operator
        /// Null, a Boolean, a number or a string.
        package let literal: JSON

        package var field: String { path.joined(separator: ".") }
    }

    package enum Operator: String, Sendable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="

        /// Whether the operator requires an order of the values, which only numbers have.
        var isOrdering: Bool { self != .equal && self != .notEqual }
    }

    package func holds(for state: JSON) -> Bool {
        switch self {
        case .comparison(let comparison): comparison.holds(for: state)
        case .not(let condition): !condition.holds(for: state)
        case .all(let conditions): conditions.allSatisfy { $0.holds(for: state) }
        case .any(let conditions): conditions.contains { $0.holds(for: state) }
        }
    }

    package var comparisons: [Comparison] {
        switch self {
        case .comparison(let comparison): [comparison]
        case .not(let condition): condition.comparisons
        case .all(let conditions), .any(let conditions): conditions.flatMap(\.comparisons)
        }
    }
}

extension Condition.Comparison {
    /// Values of different types are not equal and have no order.
    fileprivate func holds(for state: JSON) -> Bool {
        let value = path.reduce(state) { $0.objectValue?[$1] ?? .null }
        return switch `operator` {
        // Comparing strings would equate strings that differ in their scalars.
        case .equal: value.canonical.bytes == literal.canonical.bytes
        case .notEqual: value.canonical.bytes != literal.canonical.bytes
        case .less: value.isLess(than: literal) == true
        case .lessOrEqual: literal.isLess(than: value) == false
        case .greater: literal.isLess(than: value) == true
        case .greaterOrEqual: value.isLess(than: literal) == false
        }
    }
}

extension Condition.Comparison {
    /// The literal as it is written in a condition.
    package var writtenLiteral: String {
        guard case .string(let text) = literal else { return literal.description }
        // A combining mark forms one character with a quotation mark or backslash before it.
        var written = String.UnicodeScalarView()
        written.append("\"")
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { written.append("\\") }
            written.append(scalar)
        }
        written.append("\"")
        return String(written)
    }
}

extension JSON {
    /// Returns whether a number is less than another, exactly; `nil` if either value is not a number.
    fileprivate func isLess(than other: JSON) -> Bool? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right
        case (.integer(let left), .number(let right)): Self.sign(of: left, minus: right) < 0
        case (.number(let left), .integer(let right)): Self.sign(of: right, minus: left) > 0
        case (.number(let left), .number(let right)): left < right
        default: nil
        }
    }

    /// Returns the sign of a difference, exactly, even if no `Double` equals the integer.
    private static func sign(of integer: Int64, minus number: Double) -> Int {
        guard let whole = Int64(exactly: number.rounded(.down)) else { return number < 0 ? 1 : -1 }
        if integer != whole { return integer < whole ? -1 : 1 }
        return number > number.rounded(.down) ? -1 : 0
    }
}

extension Condition: CustomStringConvertible {
    /// The condition in its canonical form, which can be parsed.
    package var description: String {
        switch self {
        case .comparison(let comparison):
            "\(comparison.field) \(comparison.operator.rawValue) \(comparison.writtenLiteral)"
        case .not(let condition): "not \(condition.grouped(within: precedence - 1))"
        case .all(let conditions):
            conditions.map { $0.grouped(within: precedence) }.joined(separator: " and ")
        case .any(let conditions):
            conditions.map { $0.grouped(within: precedence) }.joined(separator: " or ")
        }
    }

    private var precedence: Int {
        switch self {
        case .any: 0
        case .all: 1
        case .not: 2
        case .comparison: 3
        }
    }

    /// Returns the description, in parentheses unless it binds more strongly than its surroundings.
    private func grouped(within outer: Int) -> String {
        precedence > outer ? description : "(\(description))"
    }
}
