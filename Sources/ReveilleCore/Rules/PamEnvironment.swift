// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A file of the user's variables as pam_env reads it, `~/.pam_environment`.
///
/// A line is `NAME DEFAULT=value OVERRIDE=value`, either part optional, or `NAME=value`. `#` begins a
/// comment, `\` at the end of a line joins it with the next. `${NAME}` stands for a variable that an
/// earlier line set, otherwise for nothing, as does `@{ITEM}`: the login is not known here.
package enum PamEnvironment {
    /// The longest value that is made, in bytes, as pam_env's BUF_SIZE has it; a longer one is empty.
    ///
    /// A line can name the variable that it sets twice, so that a file of 1 KB would ask for all memory.
    package static let valueLimit = 8_192

    /// Reads the variables of a text; a line that is neither form says nothing.
    package static func variables(in text: String) -> [String: String] {
        var variables: [String: String] = [:]
        for line in lines(of: text) {
            let words = words(of: line)
            guard let first = words.first else { continue }
            if let (name, value) = assignment(first), words.count == 1 {
                variables[name] = expand(value, variables)
                continue
            }
            var values: [String: String] = [:]
            for case let (part, value)? in words.dropFirst().map(assignment) {
                values[part] = expand(value, variables)
            }
            let overriding = values["OVERRIDE"] ?? ""
            if let value = overriding.isEmpty ? values["DEFAULT"] : overriding { variables[first] = value }
        }
        return variables
    }

    private static func lines(of text: String) -> [String] {
        var lines: [String] = []
        var joined: String?
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: isLineEnd) {
            var line = line.prefix { $0 != "#" }
            while line.last == " " || line.last == "\t" { line.removeLast() }
            let continues = line.last == "\\"
            if continues { line.removeLast() }
            joined = (joined ?? "") + line
            if !continues {
                lines.append(joined ?? "")
                joined = nil
            }
        }
        return joined.map { lines + [$0] } ?? lines
    }

    /// The words of a line: blanks part them, but not inside double quotes, which are dropped.
    private static func words(of line: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isQuoted = false
        for character in line {
            switch character {
            case "\"":
                isQuoted.toggle()
            case _ where !isQuoted && (character == " " || character == "\t"):
                if !word.isEmpty { words.append(word) }
                word = ""
            default:
                word.append(character)
            }
        }
        return word.isEmpty ? words : words + [word]
    }

    private static func assignment(_ word: String) -> (name: String, value: String)? {
        guard let sign = word.firstIndex(of: "="), sign > word.startIndex else { return nil }
        return (String(word[..<sign]), String(word[word.index(after: sign)...]))
    }

    private static func expand(_ value: String, _ variables: [String: String]) -> String {
        var result = ""
        var rest = Substring(value)
        while let character = rest.popFirst() {
            if character == "\\", let next = rest.popFirst() {
                result.append(next)
            } else if character == "$" || character == "@", rest.first == "{", let end = rest.firstIndex(of: "}") {
                let name = String(rest[..<end].dropFirst())
                if character == "$" { result += variables[name] ?? "" }
                rest = rest[rest.index(after: end)...]
            } else {
                result.append(character)
            }
            if result.utf8.count > valueLimit { return "" }
        }
        return result
    }
}
