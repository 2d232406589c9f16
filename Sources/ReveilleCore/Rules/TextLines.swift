// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The lines of a text, without what ends them: LF, CR LF or CR.
///
/// Files are bytes. As characters, what follows a sign or a line end could be one with it (a combining mark, a
/// modifier of an emoji), and looking back over some texts takes the square of their length.
struct TextLines: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    /// Where the next line begins; `nil` behind the last.
    private var start: Int?

    /// Cuts a text; the byte order mark that editors on other systems put at its start is no part of it.
    init(of text: String) {
        bytes = Array(text.utf8)
        start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// The next line, which may be empty; a text that ends in a line end has an empty one behind it.
    mutating func next() -> ArraySlice<UInt8>? {
        guard let first = start else { return nil }
        var end = first
        while end < bytes.count, !isNewline(bytes[end]) { end += 1 }
        guard end < bytes.count else {
            start = nil
            return bytes[first...]
        }
        let isPair = bytes[end] == UInt8(ascii: "\r") && end + 1 < bytes.count && bytes[end + 1] == UInt8(ascii: "\n")
        start = end + (isPair ? 2 : 1)
        return bytes[first..<end]
    }
}

/// Says whether a byte ends a line; one that ends in CR LF has an empty one behind it for who looks at this alone.
func isNewline(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
}

/// Says whether a byte is a space or a tab.
func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}

extension ArraySlice<UInt8> {
    /// The bytes without the spaces and tabs at either end.
    var trimmed: ArraySlice<UInt8> {
        var (start, end) = (startIndex, endIndex)
        while start < end, isBlank(self[start]) { start += 1 }
        while end > start, isBlank(self[end - 1]) { end -= 1 }
        return self[start..<end]
    }

    /// The text that the bytes of a valid text's part are.
    var text: String { String(decoding: self, as: UTF8.self) }
}
