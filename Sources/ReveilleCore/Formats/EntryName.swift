// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The name of a directory entry as text, which is different for different names.
///
/// A byte that is not part of valid UTF-8, or belongs to a control character, becomes `\xHH`; a backslash becomes `\\`.
/// Names are compared by bytes: for the kernel, two spellings of one letter are two names.
package struct EntryName: Sendable {
    /// The text.
    package let text: String

    /// Creates a name from text that is escaped already.
    package init(escaped text: String) {
        self.text = text
    }

    /// Creates a name from the bytes of the file system.
    package init(_ bytes: some Collection<UInt8>) {
        if bytes.allSatisfy({ 0x20 <= $0 && $0 < 0x7f && $0 != UInt8(ascii: "\\") }) {
            text = String(decoding: bytes, as: UTF8.self)
        } else {
            text = Self.escape(bytes)
        }
    }

    private static func escape(_ bytes: some Collection<UInt8>) -> String {
        var text = ""
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let next = (1...min(4, rest.count)).lazy.compactMap { length in
                String(validating: rest.prefix(length), as: UTF8.self)?.unicodeScalars.first
            }.first
            let length = next.map { UTF8.width($0) } ?? 1
            if let next, next.properties.generalCategory != .control {
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
        lhs.text.utf8.count == rhs.text.utf8.count && lhs.text.utf8.elementsEqual(rhs.text.utf8)
    }

    package static func < (lhs: EntryName, rhs: EntryName) -> Bool {
        lhs.text.utf8.lexicographicallyPrecedes(rhs.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
