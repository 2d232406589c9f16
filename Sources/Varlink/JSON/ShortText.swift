// SPDX-License-Identifier: Apache-2.0

/// A constant text of at most 24 bytes, which is appended and compared without looking at each byte.
@usableFromInline
package struct ShortText: Sendable {
    /// The room in bytes that appending any text needs; the rest of it remains free.
    @inlinable package static var room: Int { 24 }

    @usableFromInline let words: InlineArray<3, UInt64>
    @usableFromInline let count: Int

    /// Creates a text that is a constant.
    ///
    /// The compiler computes the words of a literal, so that no text has to be stored.
    @inlinable
    @inline(__always)
    package init(_ text: StaticString) {
        precondition(text.hasPointerRepresentation && text.utf8CodeUnitCount <= Self.room)
        words = [Self.word(0, of: text), Self.word(8, of: text), Self.word(16, of: text)]
        count = text.utf8CodeUnitCount
    }

    @inlinable
    @inline(__always)
    init(words: InlineArray<3, UInt64>, count: Int) {
        self.words = words
        self.count = count
    }

    /// The text as the start of a member, with `,"` before it and `":` after it.
    @inlinable package var member: ShortText {
        @inline(__always) get {
            precondition(count <= Self.room - 4)
            let start = UInt64(UInt8(ascii: ",")) | UInt64(UInt8(ascii: "\"")) << 8
            // The part of each word that follows the name.
            let end = UInt64(UInt8(ascii: "\"")) | UInt64(UInt8(ascii: ":")) << 8
            let bits = 8 * (count + 2)
            return ShortText(
                words: [
                    start | words[0] << 16 | end << bits, words[0] >> 48 | words[1] << 16 | end << (bits - 64),
                    words[1] >> 48 | words[2] << 16 | end << (bits - 128),
                ], count: count + 4)
        }
    }

    /// Returns eight bytes of a text, the first one lowest.
    @inlinable
    @inline(__always)
    static func word(_ first: Int, of text: StaticString) -> UInt64 {
        // Not eight branches: the compiler stops inlining into a function that has too many.
        var index = min(first + 8, text.utf8CodeUnitCount)
        var word: UInt64 = 0
        while index > first {
            index -= 1
            word = word << 8 | UInt64(unsafe text.utf8Start[index])
        }
        return word
    }
}

extension OutputSpan<UInt8> {
    /// Returns whether there is room for some bytes; otherwise fills the memory, so that nothing more is written.
    ///
    /// See ``Swift/Array/appendText(room:_:)``.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    package mutating func hasRoom(for room: Int) -> Bool {
        // The compiler can then omit the checks of each byte.
        if count < 1 << 32 && count + room <= capacity { return true }
        fill()
        return false
    }

    @usableFromInline
    @inline(never)
    @_lifetime(self: copy self)
    mutating func fill() { append(repeating: 0, count: freeCapacity) }

    /// Appends a constant text, if there is ``ShortText/room``.
    @inlinable
    @_lifetime(self: copy self)
    package mutating func append(_ text: borrowing ShortText) {
        guard hasRoom(for: ShortText.room) else { return }
        append(word: text.words[0])
        append(word: text.words[1])
        append(word: text.words[2])
        removeLast(24 - text.count)
    }

    /// Appends the eight bytes of a word, the lowest first.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
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
