// SPDX-License-Identifier: Apache-2.0

extension UInt8 {
    /// Whether the byte is `\n` or `\r`.
    var isNewline: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }

    /// Whether the byte is a space or a tab.
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    /// Whether the byte is ASCII white space: a space, or any byte from tab to carriage return.
    package var isSpace: Bool { self == UInt8(ascii: " ") || (0x09...0x0D).contains(self) }

    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    /// The value of a hexadecimal digit of either case; `nil` for any other byte.
    var hexadecimalValue: UInt8? {
        if isDigit { return self - UInt8(ascii: "0") }
        let letter = self | 0x20
        return (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(letter) ? letter - UInt8(ascii: "a") + 10 : nil
    }
}

extension BidirectionalCollection<UInt8> {
    /// Returns the bytes, trimmed at both ends of bytes that meet a condition.
    func trimmed(_ condition: (UInt8) -> Bool) -> SubSequence {
        var (start, end) = (startIndex, endIndex)
        while start < end, condition(self[start]) { formIndex(after: &start) }
        while start < end, condition(self[index(before: end)]) { formIndex(before: &end) }
        return self[start..<end]
    }
}

extension ArraySlice<UInt8> {
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension [UInt8] {
    package var isUTF8: Bool { (try? UTF8Span(validating: span)) != nil }

    /// The number of the line that a position is on, counted from 1.
    func line(at position: Int) -> Int {
        1 + self[..<position].count { $0 == UInt8(ascii: "\n") }
    }
}

/// The lines of a file, without their endings: LF, CR LF or CR.
///
/// Formats are read by bytes, not by characters: a combining mark joins the delimiter before it into one character,
/// and finding the boundaries of characters takes quadratic time for some texts.
struct TextLines: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    /// Where the next line begins; `nil` after the last one.
    private var start: Int?

    /// Splits a file, skipping a byte order mark at its start.
    init(of bytes: [UInt8]) {
        self.bytes = bytes
        start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// Returns the next line, which may be empty; a line ending at the end of the file is followed by an empty line.
    mutating func next() -> ArraySlice<UInt8>? {
        guard let first = start else { return nil }
        var end = first
        while end < bytes.count, !bytes[end].isNewline { end += 1 }
        guard end < bytes.count else {
            start = nil
            return bytes[first...]
        }
        let isPair = bytes[end] == UInt8(ascii: "\r") && end + 1 < bytes.count && bytes[end + 1] == UInt8(ascii: "\n")
        start = end + (isPair ? 2 : 1)
        return bytes[first..<end]
    }
}
