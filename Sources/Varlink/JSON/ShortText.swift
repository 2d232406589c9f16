// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A constant text of at most 24 bytes, which is appended and compared without looking at each byte.
@usableFromInline
package struct ShortText: Sendable {
    /// The room in bytes that appending any text needs; the rest of it remains free.
    @inlinable package static var room: Int { 24 }

    @usableFromInline let words: InlineArray<3, UInt64>
    @usableFromInline let count: Int

    /// Creates a text that is a constant; as a member, with `,"` before it and `":` after it.
    ///
    /// The compiler computes the words of a literal, so that no text has to be stored.
    @inlinable
    @inline(__always)
    package init(_ text: StaticString, isMember: Bool = false) {
        count = text.utf8CodeUnitCount + (isMember ? 4 : 0)
        precondition(text.hasPointerRepresentation && count <= Self.room)
        words = [Self.word(0, of: text, isMember), Self.word(8, of: text, isMember), Self.word(16, of: text, isMember)]
    }

    /// Returns eight bytes; not by a loop, which would not become a constant.
    @inlinable
    @inline(__always)
    static func word(_ first: Int, of text: StaticString, _ isMember: Bool) -> UInt64 {
        func byte(_ index: Int) -> UInt64 { Self.byte(first + index, of: text, isMember) << UInt64(8 * index) }
        let low = byte(0) | byte(1) | byte(2) | byte(3)
        return low | byte(4) | byte(5) | byte(6) | byte(7)
    }

    @inlinable
    @inline(__always)
    static func byte(_ index: Int, of text: StaticString, _ isMember: Bool) -> UInt64 {
        let count = text.utf8CodeUnitCount
        let place = isMember ? index - 2 : index
        if 0..<count ~= place { return UInt64(unsafe text.utf8Start[place]) }
        guard isMember else { return 0 }
        switch place {
        case -2: return UInt64(UInt8(ascii: ","))
        case -1, count: return UInt64(UInt8(ascii: "\""))
        case count + 1: return UInt64(UInt8(ascii: ":"))
        default: return 0
        }
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
