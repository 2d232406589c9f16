// SPDX-License-Identifier: Apache-2.0

/// A file of the user's variables as pam_env reads it: `~/.pam_environment`.
///
/// A line is `NAME DEFAULT=value OVERRIDE=value`, with either part optional, or `NAME=value`. `#` begins a comment, and
/// `\` at the end of a line joins it with the next. `${NAME}` stands for a variable that an earlier line set, and is
/// otherwise empty, as is `@{ITEM}`, since nothing is known of the login.
package enum PamEnvironment {
    /// The longest value after expansion, in bytes, as pam_env's BUF_SIZE; a longer value is empty.
    ///
    /// A line can refer twice to the variable it sets, so a file of 1 KB could otherwise use all memory.
    package static let valueLimit = 8_192

    /// The largest total length of all values in bytes: thousands of short lines can expand; further values are empty.
    static let totalLimit = 1 << 20

    /// Returns the variables of a file; lines of neither form are ignored.
    package static func variables(in bytes: [UInt8]) -> [String: String] {
        var variables = Variables()
        for line in lines(of: bytes) {
            let words = words(of: line)
            guard let first = words.first else { continue }
            if let (name, value) = assignment(first), words.count == 1 {
                variables.set(name, variables.expand(value))
                continue
            }
            var standard: [UInt8]?
            var overriding: [UInt8] = []
            for case let (part, value)? in words.dropFirst().map(assignment) {
                if part.elementsEqual("DEFAULT".utf8) { standard = variables.expand(value) }
                if part.elementsEqual("OVERRIDE".utf8) { overriding = variables.expand(value) }
            }
            if let value = overriding.isEmpty ? standard : overriding { variables.set(first[...], value) }
        }
        return variables.values.mapValues { $0[...].text }
    }

    private struct Variables {
        private(set) var values: [String: [UInt8]] = [:]
        private var left = totalLimit

        mutating func set(_ name: ArraySlice<UInt8>, _ value: [UInt8]) {
            guard let name = EnvironmentFile.variableName(name) else { return }
            left -= value.count
            values[name] = left >= 0 ? value : []
        }

        func expand(_ value: ArraySlice<UInt8>) -> [UInt8] {
            var result: [UInt8] = []
            guard left > 0 else { return result }
            var rest = value
            // No reference ends after the last brace, so none is searched for there.
            let lastEnd = value.lastIndex(of: UInt8(ascii: "}")) ?? value.startIndex
            while let byte = rest.popFirst() {
                let isReference = byte == UInt8(ascii: "$") || byte == UInt8(ascii: "@")
                if byte == UInt8(ascii: "\\"), let next = rest.popFirst() {
                    result.append(next)
                } else if isReference, rest.first == UInt8(ascii: "{"), rest.startIndex < lastEnd {
                    let name = rest.dropFirst().prefix { $0 != UInt8(ascii: "}") }
                    if byte == UInt8(ascii: "$"), let name = EnvironmentFile.variableName(name) {
                        result += values[name] ?? []
                    }
                    rest = rest[name.endIndex...].dropFirst()
                } else {
                    result.append(byte)
                }
                if result.count > valueLimit { return [] }
            }
            return result
        }
    }

    private static func lines(of bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var joined: [UInt8] = []
        var continues = false
        for line in TextLines(of: bytes) {
            var line = line.prefix { $0 != UInt8(ascii: "#") }
            while line.last?.isBlank == true { line.removeLast() }
            continues = line.last == UInt8(ascii: "\\")
            joined += continues ? line.dropLast() : line
            if !continues {
                lines.append(joined)
                joined = []
            }
        }
        return continues ? lines + [joined] : lines
    }

    /// Returns the words of a line, separated by blanks outside double quotes, which are removed.
    private static func words(of line: [UInt8]) -> [[UInt8]] {
        var words: [[UInt8]] = []
        var word: [UInt8] = []
        var isQuoted = false
        for byte in line {
            switch byte {
            case UInt8(ascii: "\""):
                isQuoted.toggle()
            case _ where !isQuoted && byte.isBlank:
                if !word.isEmpty { words.append(word) }
                word = []
            default:
                word.append(byte)
            }
        }
        return word.isEmpty ? words : words + [word]
    }

    private static func assignment(_ word: [UInt8]) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
        guard let sign = word.firstIndex(of: UInt8(ascii: "=")), sign > 0 else { return nil }
        return (word[..<sign], word[(sign + 1)...])
    }
}
