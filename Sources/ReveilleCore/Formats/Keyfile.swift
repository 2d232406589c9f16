// SPDX-License-Identifier: Apache-2.0

/// A file of groups and keys: INI, glib's keyfile, KConfig, git's configuration, Python's configparser.
///
/// - `[group]` begins a group; KConfig's subgroups `[a][b]` are the group `a/b`. A comment may follow.
/// - `#`, `;` or `//` begins a comment at the start of a line.
/// - Blanks around keys and values are ignored; otherwise a value is taken literally.
/// - In a group, `key: value` is a key too, and so is a whole line without a sign, whose value is empty.
/// - A line without `=` that is indented deeper than the key before it continues the value of that key.
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
    ///
    /// In a strict file each line has a `=`, as in glib's: files of other formats have groups too.
    package init(_ bytes: [UInt8], isStrict: Bool = false) throws(FormatError) {
        guard bytes.isUTF8 else { throw FormatError("not UTF-8") }
        var reader = Reader(isStrict: isStrict)
        for (number, line) in TextLines(of: bytes).enumerated() {
            do throws(FormatError) {
                try reader.read(line, isCut: line.endIndex == bytes.endIndex)
            } catch {
                throw FormatError(error.reason, line: number + 1, isLimit: error.isLimit)
            }
        }
        entries = reader.finish()
    }

    /// Returns whether a file begins with a group, whatever follows.
    package static func opens(_ bytes: [UInt8]) -> Bool {
        for line in TextLines(of: bytes) {
            let line = line.trimmed(\.isBlank)
            guard let first = line.first, !opensComment(line) else { continue }
            return first == UInt8(ascii: "[") && group(line) != nil && bytes.isUTF8
        }
        return false
    }

    private struct Reader {
        private let isStrict: Bool
        private var entries: [String: String] = [:]
        /// `nil` before the first group.
        private var group: String?
        /// The last key of the group, its indentation, and its value as far as it has been read; `nil` if it is deleted.
        ///
        /// It becomes an entry with the next key: a long name must not be looked up for each line.
        private var last: (name: String, indent: Int, value: [UInt8]?)?
        private var nameLength = 0
        private var budget = SettingsBudget()

        init(isStrict: Bool) { self.isStrict = isStrict }

        /// Reads a line; one that was cut by the end of the file may be incomplete.
        mutating func read(_ whole: ArraySlice<UInt8>, isCut: Bool) throws(FormatError) {
            let line = whole.trimmed(\.isBlank)
            guard let first = line.first, !opensComment(line) else { return }
            let isBracket = first == UInt8(ascii: "[")
            let indent = line.startIndex - whole.startIndex
            if isBracket, let name = Keyfile.group(line) {
                finishEntry()
                group = name.isEmpty ? "" : name + "/"
            } else if !isBracket, let (key, value) = Keyfile.entry(line) {
                try begin(key, value, indent)
            } else if !isStrict, let last, indent > last.indent, !line.contains(0) {
                self.last?.value? += [UInt8(ascii: "\n")] + line
            } else if !isStrict, !isBracket, group != nil, let (key, value) = Keyfile.looseEntry(line, isCut: isCut) {
                try begin(key, value, indent)
            } else {
                throw FormatError("neither a [group] nor key=value")
            }
        }

        private mutating func begin(
            _ key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>?, _ indent: Int
        ) throws(FormatError) {
            finishEntry()
            let name = (group ?? "") + key.text
            nameLength += name.utf8.count
            guard nameLength <= nameLimit else { throw SettingsBudget.excess("\(nameLimit) bytes of names") }
            try budget.pay()
            try budget.pay(forKey: name)
            last = (name, indent, value.map { Array($0) })
        }

        private mutating func finishEntry() {
            if let last { entries[last.name] = last.value?[...].text }
            last = nil
        }

        mutating func finish() -> [String: String] {
            finishEntry()
            return entries
        }
    }

    private static func opensComment(_ line: ArraySlice<UInt8>) -> Bool {
        line.first == UInt8(ascii: "#") || line.first == UInt8(ascii: ";") || line.starts(with: "//".utf8)
    }

    /// Returns the name of a group; empty for flags or nothing between the brackets, `nil` for a line that is not a group.
    private static func group(_ line: ArraySlice<UInt8>) -> String? {
        let line = withoutComment(line)
        if line.elementsEqual("[]".utf8) { return "" }
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

    /// Cuts a comment after the last bracket of a group's line.
    private static func withoutComment(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let bracket = line.lastIndex(of: UInt8(ascii: "]")) else { return line }
        let rest = line[(bracket + 1)...]
        return rest.first?.isBlank == true && opensComment(rest.trimmed(\.isBlank)) ? line[...bracket] : line
    }

    private static func isBoundary(_ bracket: Int, in line: ArraySlice<UInt8>) -> Bool {
        bracket + 1 == line.endIndex || line[bracket + 1] == UInt8(ascii: "[")
    }

    /// Returns the key and the value of a line; the value of a deleted key is `nil`.
    private static func entry(_ line: ArraySlice<UInt8>) -> (key: ArraySlice<UInt8>, value: ArraySlice<UInt8>?)? {
        guard !line.contains(0) else { return nil }
        let sign = line.firstIndex(of: UInt8(ascii: "="))
        // A colon before a blank separates a key from a value that may have signs of its own.
        if let colon = colon(of: line), colon < sign ?? colon { return nil }
        let (key, flags) = key(line[..<(sign ?? line.endIndex)].trimmed(\.isBlank))
        let isDeleted = flags.contains(UInt8(ascii: "d"))
        guard !key.isEmpty, sign != nil || isDeleted else { return nil }
        return (key, isDeleted ? nil : sign.map { line[($0 + 1)...].trimmed(\.isBlank) })
    }

    /// Returns the key and the value of a line of the dialects in which `=` is optional.
    private static func looseEntry(
        _ line: ArraySlice<UInt8>, isCut: Bool
    ) -> (key: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
        guard !line.contains(0) else { return nil }
        if let colon = colon(of: line) {
            let key = line[..<colon].trimmed(\.isBlank)
            return key.isEmpty ? nil : (key, line[(colon + 1)...].trimmed(\.isBlank))
        }
        return isCut || line.contains(UInt8(ascii: "=")) ? nil : (line, [])
    }

    /// The first colon before a blank or the end of a line: others belong to paths and addresses.
    private static func colon(of line: ArraySlice<UInt8>) -> Int? {
        line.indices.first { index in
            line[index] == UInt8(ascii: ":") && (index + 1 == line.endIndex || line[index + 1].isBlank)
        }
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
