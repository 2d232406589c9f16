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
    /// The first line that is not taken.
    package struct Failure: Error, Hashable {
        /// The number of the line, counted from 1.
        package let line: Int
        /// What is wrong with it, as the rest of a sentence: `is neither a [group] nor key=value`.
        package let reason: String
    }

    /// The most that all names may be together, in bytes, each with its group's.
    ///
    /// A group of a long name would stand in front of each of its keys: 4 MiB could ask for terabytes.
    private static let nameLimit = 4 << 20
    /// How many bytes of ASCII a byte of another name counts for: to compare them takes that much longer.
    private static let foreignWeight = 10

    /// Values by `group/key`; a key before the first group goes by its own name.
    package var entries: [String: String] = [:]

    /// Reads a text.
    ///
    /// - Throws: `Failure` at the first line that is none of the grammar, or one too many.
    package init(_ text: String) throws(Failure) {
        var group = ""
        var count = 0
        var length = 0
        for (number, line) in TextLines(of: text).enumerated() {
            let line = line.trimmed
            guard let first = line.first, !Self.opensComment(first) else { continue }
            func failure(_ reason: String) -> Failure { Failure(line: number + 1, reason: reason) }
            if first == UInt8(ascii: "[") {
                guard let name = Self.group(line) else { throw failure(Self.ungrammatical) }
                group = name.isEmpty ? "" : name + "/"
            } else {
                guard let (key, value) = Self.entry(line) else { throw failure(Self.ungrammatical) }
                let name = group + key
                count += 1
                let isPlain = name.utf8.allSatisfy { $0 < 0x80 }
                length += name.utf8.count * (isPlain ? 1 : Self.foreignWeight)
                guard count <= SettingsValue.countLimit else {
                    throw failure("is one entry more than the \(SettingsValue.countLimit) that are read")
                }
                guard length <= Self.nameLimit else {
                    throw failure("makes all keys together longer than are read")
                }
                guard !CombiningMarks.areTooMany(in: name) else {
                    throw failure("has more than \(CombiningMarks.limit) combining marks in a row")
                }
                entries[name] = value
            }
        }
    }

    private static let ungrammatical = "is neither a [group] nor key=value"

    /// Says whether a text opens as a keyfile does, whatever follows.
    package static func opens(_ text: String) -> Bool {
        for line in TextLines(of: text) {
            let line = line.trimmed
            guard let first = line.first, !opensComment(first) else { continue }
            return first == UInt8(ascii: "[") && group(line) != nil
        }
        return false
    }

    private static func opensComment(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "#") || byte == UInt8(ascii: ";")
    }

    /// The name of a group; empty for a line of flags alone, `nil` for no group at all.
    private static func group(_ line: ArraySlice<UInt8>) -> String? {
        guard line.count > 2, line.last == UInt8(ascii: "]"), !line.contains(0) else { return nil }
        var kept: [String] = []
        // What is between two names is `][`; one bracket alone belongs to a name.
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

    /// The key and the value of a line, which is `nil` for a deleted key; `nil` for a line that is no entry.
    private static func entry(_ line: ArraySlice<UInt8>) -> (key: String, value: String?)? {
        guard !line.contains(0) else { return nil }
        let sign = line.firstIndex(of: UInt8(ascii: "="))
        let (key, flags) = key(line[..<(sign ?? line.endIndex)].trimmed)
        let isDeleted = flags.contains(UInt8(ascii: "d"))
        guard !key.isEmpty, sign != nil || isDeleted else { return nil }
        return (key.text, isDeleted ? nil : sign.map { line[($0 + 1)...].trimmed.text })
    }

    private static func key(_ text: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, flags: ArraySlice<UInt8>) {
        guard text.last == UInt8(ascii: "]"), let bracket = text.lastIndex(of: UInt8(ascii: "[")) else {
            return (text, [])
        }
        let flags = text[bracket...].dropFirst().dropLast()
        return isFlags(flags) ? (text[..<bracket].trimmed, flags.dropFirst()) : (text, [])
    }

    /// `$i` immutable, `$d` deleted, `$e` expanded, together too; `$Version` is a name.
    private static func isFlags(_ text: ArraySlice<UInt8>) -> Bool {
        text.count > 1 && text.first == UInt8(ascii: "$") && text.dropFirst().allSatisfy("ide".utf8.contains)
    }
}
