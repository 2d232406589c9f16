// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// Text for a terminal; all control characters except a ``Style``'s are escaped.
package struct StyledText: ExpressibleByStringInterpolation, Sendable {
    /// The text with terminal control codes.
    package private(set) var rendered = ""
    /// The width in columns.
    package private(set) var width = 0

    package init(_ text: some StringProtocol) {
        append(text)
    }

    package init(stringLiteral text: String) {
        append(text)
    }

    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.text
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text: StyledText = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) {
            text.append(literal)
        }

        package mutating func appendInterpolation(_ value: StyledText) {
            text += value
        }

        package mutating func appendInterpolation<Value>(_ value: Value) {
            text.append(String(describing: value))
        }
    }

    package static func + (left: StyledText, right: StyledText) -> StyledText {
        var sum = left
        sum += right
        return sum
    }

    package static func += (left: inout StyledText, right: StyledText) {
        left.rendered += right.rendered
        left.width += right.width
    }

    package func padded(to width: Int) -> StyledText {
        self + StyledText(String(repeating: " ", count: max(0, width - self.width)))
    }

    fileprivate func wrapped(in code: String) -> StyledText {
        var copy = self
        copy.rendered = "\u{1B}[\(code)m\(rendered)\u{1B}[0m"
        return copy
    }

    private mutating func append(_ text: some StringProtocol) {
        let printable = text.printable
        rendered += printable
        width += printable.columns
    }
}

/// Terminal styles, by their SGR code.
package enum Style: String {
    case bold = "1"
    case dim = "2"
    /// The colors of the text and of the background exchanged.
    case reverse = "7"
    case green = "32"
    case yellow = "33"
    case cyan = "36"

    /// Whether the style is a color; other styles work on terminals without colors too.
    package var isColor: Bool { [.green, .yellow, .cyan].contains(self) }

    /// Returns the text in this style, or unchanged if color is disabled.
    package func callAsFunction(_ text: StyledText) -> StyledText {
        Console.isColored ? text.wrapped(in: rawValue) : text
    }
}
