// SPDX-License-Identifier: Apache-2.0

/// A file of `KEY=value` lines as systemd reads it, such as locale.conf and /etc/default/locale.
///
/// - `#` or `;` begins a comment at the start of a line, after optional blanks.
/// - Blanks around keys and values are ignored unless escaped or quoted.
/// - `\` at the end of a line joins it with the next; outside quotes `\x` is `x`.
/// - Single quotes are literal; in double quotes only `"`, `\`, `` ` `` and `$` are unescaped.
/// - The last of several equal keys wins. The prefix `export` is accepted, as in pam_env.
package enum EnvironmentFile {
    /// Returns the variables of a file; lines without `=` or with an invalid name are ignored.
    package static func variables(in bytes: [UInt8]) -> [String: String] {
        var scanner = Scanner(rest: bytes[...])
        var variables: [String: String] = [:]
        while let key = scanner.key() {
            let value = scanner.value()
            if let name = variableName(key) { variables[name] = value.text }
        }
        return variables
    }

    private struct Scanner {
        var rest: ArraySlice<UInt8>

        /// Reads the next key and the `=` after it; `nil` at the end.
        mutating func key() -> ArraySlice<UInt8>? {
            while !rest.isEmpty {
                skip { $0.isBlank || $0.isNewline }
                if rest.first == UInt8(ascii: "#") || rest.first == UInt8(ascii: ";") {
                    skip { !$0.isNewline }
                    continue
                }
                let line = rest.prefix { !$0.isNewline && $0 != UInt8(ascii: "=") }
                rest = rest[line.endIndex...]
                if rest.popFirst() == UInt8(ascii: "=") { return withoutExport(line.trimmed(\.isBlank)) }
            }
            return nil
        }

        /// Reads the value after a `=`, and the newline after it.
        mutating func value() -> ArraySlice<UInt8> {
            var value: [UInt8] = []
            // The length of the part that must not be trimmed, since it ended escaped or quoted.
            var kept = 0
            skip(while: \.isBlank)
            while let byte = rest.popFirst(), !byte.isNewline {
                switch byte {
                case UInt8(ascii: "\\"):
                    guard let next = rest.popFirst() else { break }
                    if next != UInt8(ascii: "\n") { value.append(next) }
                    kept = value.count
                case UInt8(ascii: "'") where value.count == kept, UInt8(ascii: "\"") where value.count == kept:
                    // A quote opens at the start of a value, or directly after another closes.
                    append(quoted: byte, to: &value)
                    kept = value.count
                    skip(while: \.isBlank)
                default:
                    value.append(byte)
                }
            }
            while value.count > kept, let last = value.last, last.isBlank { value.removeLast() }
            return value[...]
        }

        private mutating func append(quoted quote: UInt8, to value: inout [UInt8]) {
            while let byte = rest.popFirst(), byte != quote {
                guard quote == UInt8(ascii: "\""), byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                    value.append(byte)
                    continue
                }
                switch next {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "$"): value.append(next)
                case UInt8(ascii: "\n"): break
                default: value += [byte, next]
                }
            }
        }

        private mutating func skip(while condition: (UInt8) -> Bool) {
            rest = rest.drop(while: condition)
        }

        private func withoutExport(_ key: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            guard key.starts(with: "export".utf8) else { return key }
            let name = key.dropFirst("export".utf8.count)
            return name.first?.isBlank == true ? name.trimmed(\.isBlank) : key
        }
    }

    /// Returns the name of a variable: ASCII letters, digits and underscores, as in systemd's env_name_is_valid.
    static func variableName(_ bytes: ArraySlice<UInt8>) -> String? {
        let isName = bytes.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
        return isName && !bytes.isEmpty ? bytes.text : nil
    }
}
