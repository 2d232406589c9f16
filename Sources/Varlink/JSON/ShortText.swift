// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A constant text of at most 24 bytes, which is appended without looking at each byte.
@usableFromInline
package struct ShortText: Sendable {
    /// The room in bytes that appending any text needs; the rest of it remains free.
    @inlinable package static var room: Int { 24 }

    @usableFromInline let words: InlineArray<3, UInt64>
    @usableFromInline let count: Int

    /// Creates a text.
    package init(_ text: String) {
        var words = InlineArray<3, UInt64>(repeating: 0)
        for (index, byte) in text.utf8.enumerated() {
            words[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8)
        }
        self.words = words
        count = text.utf8.count
    }
}

extension OutputSpan<UInt8> {
    /// Appends a constant text, for which there must be ``ShortText/room``.
    @inlinable
    package mutating func append(_ text: borrowing ShortText) {
        precondition(count < 1 << 32 && count + 24 <= capacity)
        append(word: text.words[0])
        append(word: text.words[1])
        append(word: text.words[2])
        removeLast(24 - text.count)
    }

    /// Appends the eight bytes of a word, the lowest first.
    @inlinable
    @inline(__always)
    package mutating func append(word: UInt64) {
        // The compiler can then store the word as it is instead of looking for room for each byte.
        precondition(count < 1 << 32 && count + 8 <= capacity)
        append(UInt8(truncatingIfNeeded: word))
        append(UInt8(truncatingIfNeeded: word >> 8))
        append(UInt8(truncatingIfNeeded: word >> 16))
        append(UInt8(truncatingIfNeeded: word >> 24))
        append(UInt8(truncatingIfNeeded: word >> 32))
        append(UInt8(truncatingIfNeeded: word >> 40))
        append(UInt8(truncatingIfNeeded: word >> 48))
        append(UInt8(truncatingIfNeeded: word >> 56))
    }
}
