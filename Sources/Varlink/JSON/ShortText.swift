// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A constant text of at most 24 bytes, which is appended and compared without looking at each byte.
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

    /// Creates a text that is a constant.
    ///
    /// The compiler computes the words of a literal, so that no text has to be stored.
    @inlinable
    @inline(__always)
    package init(constant text: StaticString) {
        let count = text.utf8CodeUnitCount
        precondition(text.hasPointerRepresentation && count <= Self.room)
        words = [Self.word(0, of: text, count), Self.word(8, of: text, count), Self.word(16, of: text, count)]
        self.count = count
    }

    /// Creates the start of a member of an object, such as `,"state":`.
    @inlinable
    @inline(__always)
    package init(member name: StaticString) {
        let count = name.utf8CodeUnitCount
        precondition(name.hasPointerRepresentation && count <= Self.room - 4)
        let (low, middle) = (Self.word(0, of: name, count, isName: true), Self.word(8, of: name, count, isName: true))
        let high = Self.word(16, of: name, count, isName: true)
        let start = UInt64(UInt8(ascii: ",")) | UInt64(UInt8(ascii: "\"")) << 8
        words = [start | low << 16, low >> 48 | middle << 16, middle >> 48 | high << 16]
        self.count = count + 4
    }

    /// Returns eight bytes of a text, after which a name is followed by `":`.
    @inlinable
    @inline(__always)
    static func word(_ first: Int, of text: StaticString, _ count: Int, isName: Bool = false) -> UInt64 {
        // Not a loop, which would not become a constant.
        let low =
            byte(first, of: text, count, isName) | byte(first + 1, of: text, count, isName) << 8
            | byte(first + 2, of: text, count, isName) << 16 | byte(first + 3, of: text, count, isName) << 24
        let high =
            byte(first + 4, of: text, count, isName) | byte(first + 5, of: text, count, isName) << 8
            | byte(first + 6, of: text, count, isName) << 16 | byte(first + 7, of: text, count, isName) << 24
        return low | high << 32
    }

    @inlinable
    @inline(__always)
    static func byte(_ index: Int, of text: StaticString, _ count: Int, _ isName: Bool) -> UInt64 {
        if index < count { return UInt64(unsafe text.utf8Start[index]) }
        guard isName else { return 0 }
        return index == count ? UInt64(UInt8(ascii: "\"")) : index == count + 1 ? UInt64(UInt8(ascii: ":")) : 0
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
