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
    /// Reads the variables of a text; a line without `=`, or whose key is no variable's name, says nothing.
    package static func variables(in text: String) -> [String: String] {
        var scanner = Scanner(text)
        var variables: [String: String] = [:]
        while let key = scanner.key() {
            let value = scanner.value()
            if let name = variableName(key) { variables[name] = value.text }
        }
        return variables
    }

    private struct Scanner {
        private var rest: ArraySlice<UInt8>

        init(_ text: String) {
            rest = Array(text.utf8)[...]
        }

        /// The next key, `nil` at the end; everything up to and with its `=` is read.
        mutating func key() -> ArraySlice<UInt8>? {
            while !rest.isEmpty {
                skip { isBlank($0) || isNewline($0) }
                if rest.first == UInt8(ascii: "#") || rest.first == UInt8(ascii: ";") {
                    skip { !isNewline($0) }
                    continue
                }
                let line = rest.prefix { !isNewline($0) && $0 != UInt8(ascii: "=") }
                rest = rest[line.endIndex...]
                if rest.popFirst() == UInt8(ascii: "=") { return withoutExport(line.trimmed) }
            }
            return nil
        }

        /// The value after a `=`; its newline is read.
        mutating func value() -> ArraySlice<UInt8> {
            var value: [UInt8] = []
            // What is before this must not be trimmed: it was escaped or quoted.
            var kept = 0
            skip(while: isBlank)
            while let byte = rest.popFirst(), !isNewline(byte) {
                switch byte {
                case UInt8(ascii: "\\"):
                    guard let next = rest.popFirst() else { break }
                    if next != UInt8(ascii: "\n") { value.append(next) }
                    kept = value.count
                case UInt8(ascii: "'") where value.count == kept, UInt8(ascii: "\"") where value.count == kept:
                    // A quote opens at the start of a value, or right after another one has closed.
                    append(quoted: byte, to: &value)
                    kept = value.count
                    skip(while: isBlank)
                default:
                    value.append(byte)
                }
            }
            while value.count > kept, let last = value.last, isBlank(last) { value.removeLast() }
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
            return name.first.map(isBlank) ?? false ? name.trimmed : key
        }
    }

    /// The name of a variable: letters of ASCII, digits and underscores, as systemd's env_name_is_valid has it.
    static func variableName(_ bytes: ArraySlice<UInt8>) -> String? {
        let isName = bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isName && !bytes.isEmpty ? bytes.text : nil
    }
}
