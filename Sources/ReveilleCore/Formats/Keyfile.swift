// SPDX-License-Identifier: Apache-2.0

/// A file of groups and keys: INI, glib's keyfile, KConfig.
///
/// - `[group]` begins a group; KConfig's subgroups `[a][b]` are the group `a/b`.
/// - `#` or `;` begins a comment at the start of a line.
/// - Blanks around keys and values are ignored; otherwise a value is taken literally.
/// - Suffixes such as `[$i]` are KConfig's flags and not part of a name; a key with `[$d]` is deleted, so absent.
/// - The last of several equal keys wins.
package struct Keyfile: Sendable, Hashable {
    /// The largest total length of all names in bytes, each including its group.
    ///
    /// A long group name precedes each of its keys, so a file of 4 MiB could demand terabytes.
    private static let nameLimit = 4 << 20

    /// Values by `group/key`; keys before the first group have no prefix.
    package var entries: [String: String] = [:]

    /// Parses a file; throws the first line that is not valid, or that exceeds a limit of `SettingsValue`.
    package init(_ bytes: [UInt8]) throws(FormatError) {
        guard bytes.isUTF8 else { throw FormatError("not UTF-8") }
        var reader = Reader()
        for (number, line) in TextLines(of: bytes).enumerated() {
            do throws(FormatError) {
                try reader.read(line)
            } catch {
                throw FormatError(error.reason, line: number + 1)
            }
        }
        entries = reader.entries
    }

    /// Returns whether a file begins with a group, whatever follows.
    package static func opens(_ bytes: [UInt8]) -> Bool {
        for line in TextLines(of: bytes) {
            guard let first = line.first(where: { !$0.isBlank }), !opensComment(first) else { continue }
            return first == UInt8(ascii: "[") && group(line.trimmed(\.isBlank)) != nil && bytes.isUTF8
        }
        return false
    }

    private struct Reader {
        var entries: [String: String] = [:]
        private var group = ""
        private var nameLength = 0
        private var budget = SettingsBudget()

        mutating func read(_ line: ArraySlice<UInt8>) throws(FormatError) {
            guard let first = line.first(where: { !$0.isBlank }), !opensComment(first) else { return }
            let line = line.trimmed(\.isBlank)
            if first == UInt8(ascii: "["), let name = Keyfile.group(line) {
                group = name.isEmpty ? "" : name + "/"
            } else if first != UInt8(ascii: "["), let (key, value) = Keyfile.entry(line) {
                let name = group + key
                nameLength += name.utf8.count
                guard nameLength <= nameLimit else { throw FormatError("more than \(nameLimit) bytes of names") }
                try budget.pay()
                try budget.pay(forKey: name)
                entries[name] = value
            } else {
                throw FormatError("neither a [group] nor key=value")
            }
        }
    }

    private static func opensComment(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "#") || byte == UInt8(ascii: ";")
    }

    /// Returns the name of a group; empty for a line of flags only, `nil` for a line that is not a group.
    private static func group(_ line: ArraySlice<UInt8>) -> String? {
        guard line.count > 2, line.last == UInt8(ascii: "]"), !line.contains(0) else { return nil }
        var kept: [String] = []
        // `][` separates two names; a single bracket belongs to a name.
        var rest = line.dropFirst()
        while !rest.isEmpty {
            let end = rest.indices.first { rest[$0] == UInt8(ascii: "]") && isBoundary($0, in: rest) } ?? rest.endIndex
            let name = rest[..<end]
            guard !name.isEmpty else { return nil }
            if !isFlags(name) { kept.append(name.text) }
            rest = rest[end...].dropFirst(2)
        }
        return kept.joined(separator: "/")
    }

    private static func isBoundary(_ bracket: Int, in line: ArraySlice<UInt8>) -> Bool {
        bracket + 1 == line.endIndex || line[bracket + 1] == UInt8(ascii: "[")
    }

    /// Returns the key and the value of a line; the value of a deleted key is `nil`.
    private static func entry(_ line: ArraySlice<UInt8>) -> (key: String, value: String?)? {
        guard !line.contains(0) else { return nil }
        let sign = line.firstIndex(of: UInt8(ascii: "="))
        let (key, flags) = key(line[..<(sign ?? line.endIndex)].trimmed(\.isBlank))
        let isDeleted = flags.contains(UInt8(ascii: "d"))
        guard !key.isEmpty, sign != nil || isDeleted else { return nil }
        return (key.text, isDeleted ? nil : sign.map { line[($0 + 1)...].trimmed(\.isBlank).text })
    }

    private static func key(_ text: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, flags: ArraySlice<UInt8>) {
        guard text.last == UInt8(ascii: "]"), let bracket = text.lastIndex(of: UInt8(ascii: "[")) else {
            return (text, [])
        }
        let flags = text[bracket...].dropFirst().dropLast()
        return isFlags(flags) ? (text[..<bracket].trimmed(\.isBlank), flags.dropFirst()) : (text, [])
    }

    /// Returns whether a text is flags, not a name such as `$Version`: `$i` immutable, `$d` deleted, `$e` expanded, or several.
    private static func isFlags(_ text: ArraySlice<UInt8>) -> Bool {
        text.count > 1 && text.first == UInt8(ascii: "$") && text.dropFirst().allSatisfy("ide".utf8.contains)
    }
}
