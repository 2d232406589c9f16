// SPDX-License-Identifier: Apache-2.0

/// The name of a directory entry as text; different names have different texts.
///
/// A byte that is not part of valid UTF-8, or belongs to a control character, becomes `\xHH`; a backslash becomes `\\`.
/// The same applies to combining marks beyond ``CombiningMarks/limit``, which parsers of messages refuse.
/// Names are compared by bytes: for the kernel, two spellings of one letter are two names.
package struct EntryName: Sendable {
    package let text: String

    package init(escaped text: String) {
        self.text = text
    }

    /// Creates a name from the bytes of the file system.
    package init(_ bytes: Span<UInt8>) {
        if !Self.hasSpecialBytes(bytes), let valid = try? UTF8Span(validating: bytes),
            case let name = String(copying: valid), !CombiningMarks.areTooMany(in: name)
        {
            text = name
        } else {
            text = Self.escape(bytes.indices.map { bytes[$0] })
        }
    }

    /// Returns whether a name has a backslash or, if it is UTF-8, a control character.
    private static func hasSpecialBytes(_ bytes: Span<UInt8>) -> Bool {
        var last: UInt8 = 0
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < 0x20 || byte == 0x7f || byte == UInt8(ascii: "\\") { return true }
            // U+0080 to U+009F
            if last == 0xc2, byte < 0xa0 { return true }
            last = byte
        }
        return false
    }

    private static func escape(_ bytes: [UInt8]) -> String {
        var text = ""
        var rest = bytes[...]
        var marks = 0
        while !rest.isEmpty {
            let next = (1...min(4, rest.count)).lazy.compactMap { length in
                String(validating: rest.prefix(length), as: UTF8.self)?.unicodeScalars.first
            }.first
            let length = next.map { UTF8.width($0) } ?? 1
            marks = next.map(CombiningMarks.isMark) == true ? marks + 1 : 0
            if let next, next.properties.generalCategory != .control, marks <= CombiningMarks.limit {
                text += next == "\\" ? #"\\"# : String(next)
            } else {
                for byte in rest.prefix(length) { text += #"\x"# + (byte < 16 ? "0" : "") + String(byte, radix: 16) }
            }
            rest = rest.dropFirst(length)
        }
        return text
    }
}

extension EntryName: Hashable, Comparable {
    package static func == (lhs: EntryName, rhs: EntryName) -> Bool {
        lhs.text.utf8.count == rhs.text.utf8.count && lhs.order(rhs) == 0
    }

    package static func < (lhs: EntryName, rhs: EntryName) -> Bool {
        lhs.order(rhs) < 0
    }

    /// Returns a negative number if this name precedes another, and 0 if they are equal.
    private func order(_ other: EntryName) -> Int {
        let (bytes, others) = (text.utf8.span, other.text.utf8.span)
        for index in 0..<min(bytes.count, others.count) where bytes[index] != others[index] {
            return Int(bytes[index]) - Int(others[index])
        }
        return bytes.count - others.count
    }

    /// Returns the length of the common prefix of both names, in bytes.
    func commonLength(with other: EntryName) -> Int {
        let (bytes, others) = (text.utf8.span, other.text.utf8.span)
        let length = min(bytes.count, others.count)
        return (0..<length).first { bytes[$0] != others[$0] } ?? length
    }

    /// Returns the eight bytes after an offset as a number of the same order; zeros follow the end.
    func word(at offset: Int) -> UInt64 {
        let bytes = text.utf8.span
        return (offset..<offset + 8).reduce(0) { $0 << 8 | UInt64($1 < bytes.count ? bytes[$1] : 0) }
    }

    package func hash(into hasher: inout Hasher) {
        // A string's own hash is equal for all spellings of a name, and there may be thousands.
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
