// SPDX-License-Identifier: Apache-2.0

/// A list of names that is searched by bytes, without creating a string.
package struct NameTable: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        let firstWord: Int
        let count: Int
    }

    /// The bytes of the names, each from the start of a word, so that a search follows no references.
    private var words: [UInt64] = []
    private var entries: [Entry] = []

    package init(_ names: [String] = []) {
        for name in names { append(name) }
    }

    var count: Int { entries.count }

    mutating func append(_ name: String) {
        entries.append(Entry(firstWord: words.count, count: name.utf8.count))
        for (index, byte) in name.utf8.enumerated() {
            if index % 8 == 0 { words.append(0) }
            words[words.count - 1] |= UInt64(byte) << UInt64(index % 8 * 8)
        }
    }

    package subscript(position: Int) -> String {
        let entry = entries[position]
        return String(
            decoding: (0..<entry.count).map { index in
                UInt8(truncatingIfNeeded: words[entry.firstWord + index / 8] >> UInt64(index % 8 * 8))
            }, as: UTF8.self)
    }

    /// Returns the position of a name in a part of the list, or `nil` if it is not there.
    @inline(__always)
    func position(of text: Span<UInt8>, _ name: JSONText.Part, in part: Range<Int>) -> Int? {
        let entries = entries.span.extracting(part)
        let words = words.span
        for index in entries.indices where entries[index].count == name.count {
            if text.hasText(words, from: entries[index].firstWord, at: name.start, count: name.count) {
                return part.lowerBound &+ index
            }
        }
        return nil
    }
}
