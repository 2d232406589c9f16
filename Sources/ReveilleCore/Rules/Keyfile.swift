// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A file of groups and keys: INI, glib's keyfile, KConfig.
///
/// - `[group]` begins a group; KConfig's subgroups `[a][b]` are the group `a/b`.
/// - `#` or `;` begins a comment at the start of a line.
/// - Blanks around keys and values are layout; a value is otherwise taken as it stands.
/// - Suffixes such as `[$i]` are KConfig's flags and no part of a name; a key with `[$d]` is deleted, so absent.
/// - The last of several equal keys counts.
package struct Keyfile: Sendable, Hashable {
    /// A line that is neither group, key nor comment, counted from 1.
    package struct Failure: Error, Hashable {
        /// The number of the line.
        package let line: Int
    }

    /// Values by `group/key`; a key before the first group goes by its own name.
    package var entries: [String: String] = [:]

    /// Reads a text.
    ///
    /// - Throws: `Failure` at the first line that is none of the grammar.
    package init(_ text: String) throws(Failure) {
        var group = ""
        for (number, line) in Self.lines(of: text).enumerated() {
            let line = Self.trimmed(line)
            guard let first = line.first, first != "#", first != ";" else { continue }
            let failure = Failure(line: number + 1)
            if first == "[" {
                guard let name = Self.group(line) else { throw failure }
                group = name.isEmpty ? "" : name + "/"
            } else {
                guard !line.contains("\0") else { throw failure }
                let sign = line.firstIndex(of: "=")
                let (key, flags) = Self.key(Self.trimmed(line[..<(sign ?? line.endIndex)]))
                guard !key.isEmpty, sign != nil || flags.contains("d") else { throw failure }
                let value = sign.map { Self.trimmed(line[line.index(after: $0)...]) }
                entries[group + key] = flags.contains("d") ? nil : value.map(String.init)
            }
        }
    }

    /// Says whether a text opens as a keyfile does, whatever follows.
    package static func opens(_ text: String) -> Bool {
        for line in lines(of: text) {
            let line = trimmed(line)
            guard let first = line.first, first != "#", first != ";" else { continue }
            return first == "[" && group(line) != nil
        }
        return false
    }

    /// The lines without the byte order mark that editors on other systems put before the first.
    private static func lines(of text: String) -> [Substring] {
        (text.first == "\u{FEFF}" ? text.dropFirst() : Substring(text))
            .split(omittingEmptySubsequences: false, whereSeparator: isLineEnd)
    }

    /// The name of a group; empty for a line of flags alone, `nil` for no group at all.
    private static func group(_ line: Substring) -> String? {
        guard line.first == "[", line.last == "]", !line.contains("\0") else { return nil }
        let names = line.dropFirst().dropLast().split(separator: "][", omittingEmptySubsequences: false)
        let kept = names.filter { !isFlags($0) }
        return names.contains("") ? nil : kept.joined(separator: "/")
    }

    private static func key(_ text: Substring) -> (name: String, flags: Substring) {
        guard text.last == "]", let bracket = text.lastIndex(of: "[") else { return (String(text), "") }
        let flags = text[bracket...].dropFirst().dropLast()
        return isFlags(flags) ? (String(trimmed(text[..<bracket])), flags.dropFirst()) : (String(text), "")
    }

    /// `$i` immutable, `$d` deleted, `$e` expanded, together too; `$Version` is a name.
    private static func isFlags(_ text: Substring) -> Bool {
        text.count > 1 && text.first == "$" && text.dropFirst().allSatisfy { "ide".contains($0) }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
