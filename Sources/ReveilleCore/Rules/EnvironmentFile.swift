// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A file of `KEY=value` lines as systemd reads it, such as locale.conf and /etc/default/locale.
///
/// - `#` or `;` begins a comment at the start of a line, blanks before it allowed.
/// - Blanks around key and value are dropped unless escaped or quoted.
/// - `\` and a newline join lines; outside quotes `\x` is `x`.
/// - Single quotes are literal; double quotes unescape `"`, `\`, `` ` `` and `$` alone.
/// - The last of several equal keys counts. The prefix `export` is accepted, as pam_env has it.
package enum EnvironmentFile {
    /// Reads the variables of a text; a line without `=` says nothing.
    package static func variables(in text: String) -> [String: String] {
        var scanner = Scanner(text.unicodeScalars)
        var variables: [String: String] = [:]
        while let key = scanner.key() {
            let value = scanner.value()
            if !key.isEmpty { variables[key] = value }
        }
        return variables
    }

    private struct Scanner {
        private var rest: Substring.UnicodeScalarView

        init(_ text: String.UnicodeScalarView) {
            rest = Substring.UnicodeScalarView(text)
        }

        /// The next key, `nil` at the end; everything up to and with its `=` is read.
        mutating func key() -> String? {
            while !rest.isEmpty {
                skip { isBlank($0) || isNewline($0) }
                if rest.first == "#" || rest.first == ";" {
                    skip { !isNewline($0) }
                    continue
                }
                let line = rest.prefix { !isNewline($0) && $0 != "=" }
                rest = rest[line.endIndex...]
                guard rest.first == "=" else { continue }
                rest.removeFirst()
                return name(String(String.UnicodeScalarView(line)))
            }
            return nil
        }

        /// The value after a `=`; its newline is left.
        mutating func value() -> String {
            var value: [Unicode.Scalar] = []
            // What is before this must not be trimmed: it was escaped or quoted.
            var kept = 0
            skip(while: isBlank)
            while let scalar = rest.popFirst(), !isNewline(scalar) {
                switch scalar {
                case "\\":
                    guard let next = rest.popFirst() else { break }
                    if next != "\n" { value.append(next) }
                    kept = value.count
                case _ where (scalar == "'" || scalar == "\"") && value.count == kept:
                    // A quote opens at the start of a value, or right after another one has closed.
                    append(quoted: scalar, to: &value)
                    kept = value.count
                    skip(while: isBlank)
                default:
                    value.append(scalar)
                }
            }
            while value.count > kept, let last = value.last, isBlank(last) { value.removeLast() }
            return String(String.UnicodeScalarView(value))
        }

        private mutating func append(quoted quote: Unicode.Scalar, to value: inout [Unicode.Scalar]) {
            while let scalar = rest.popFirst(), scalar != quote {
                guard quote == "\"", scalar == "\\", let next = rest.popFirst() else {
                    value.append(scalar)
                    continue
                }
                switch next {
                case "\"", "\\", "`", "$": value.append(next)
                case "\n": break
                default: value.append(contentsOf: [scalar, next])
                }
            }
        }

        private mutating func skip(while condition: (Unicode.Scalar) -> Bool) {
            rest = rest.drop(while: condition)
        }

        private func name(_ line: String) -> String {
            var words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            if words.count > 1, words.first == "export" { words.removeFirst() }
            return words.joined(separator: " ")
        }
    }
}

/// Says whether a character ends a line, in a text that is split into lines.
func isLineEnd(_ character: Character) -> Bool {
    character == "\n" || character == "\r\n" || character == "\r"
}

/// Says whether a character is a space or a tab.
func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t"
}

/// Says whether a character ends a line; a line that ends in CR LF has an empty one after it.
func isNewline(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\n" || scalar == "\r"
}
