// SPDX-License-Identifier: Apache-2.0

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
