// SPDX-License-Identifier: Apache-2.0

// Searches and comparisons of bytes, eight at a time.

extension Span<UInt8> {
    /// Returns the index of the first zero byte, or `count`.
    func firstZero(from start: Int) -> Int {
        var index = start
        while let word = word(at: index) {
            let zeros = UInt64.zeros(in: word)
            if zeros != 0 { return index &+ zeros.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < count, self[index] != 0 { index &+= 1 }
        return index
    }

    /// Returns the index of the first byte that is not ASCII or that a JSON string contains only as an escape, or
    /// `count`.
    @inline(__always)
    func endOfPlainASCII(from start: Int) -> Int {
        var index = start
        while let word = word(at: index) {
            let quotes = UInt64.zeros(in: word ^ 0x2222_2222_2222_2222)
            let backslashes = UInt64.zeros(in: word ^ 0x5C5C_5C5C_5C5C_5C5C)
            let controls = word &- 0x2020_2020_2020_2020
            let ends = (quotes | backslashes | controls | word) & 0x8080_8080_8080_8080
            if ends != 0 { return index &+ ends.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < count, isPlainASCII(self[index]) { index &+= 1 }
        return index
    }

    /// Returns whether some bytes equal a text in words, from the first word on, the first byte of each lowest.
    @inline(__always)
    func hasText(_ words: Span<UInt64>, from first: Int, at start: Int, count: Int) -> Bool {
        var index = start
        var word = first
        var rest = count
        while rest > 0 {
            guard let own = self.word(at: index) else {
                return endsWithText(words, from: word, at: index, count: rest)
            }
            // Bytes after the last byte of the text are shifted out.
            let unused = rest < 8 ? 64 &- 8 &* rest : 0
            guard (own ^ words[word]) &<< UInt64(truncatingIfNeeded: unused) == 0 else { return false }
            index &+= 8
            word &+= 1
            rest &-= 8
        }
        return true
    }

    func hasBytes(_ other: Span<UInt8>, at start: Int) -> Bool {
        let own = extracting(start..<start + other.count)
        for index in own.indices where own[index] != other[index] { return false }
        return true
    }

    @inline(never)
    private func endsWithText(_ words: Span<UInt64>, from first: Int, at start: Int, count: Int) -> Bool {
        for offset in 0..<count {
            let byte = UInt8(truncatingIfNeeded: words[first + offset / 8] >> UInt64(offset % 8 * 8))
            guard self[start + offset] == byte else { return false }
        }
        return true
    }

    /// The eight bytes from an index, the first byte lowest, or `nil` if there are fewer.
    @inline(__always)
    private func word(at index: Int) -> UInt64? {
        guard index >= 0, index <= count &- 8 else { return nil }
        return unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
    }

    private func isPlainASCII(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}

extension UInt64 {
    /// Returns a word whose lowest set bit is the highest bit of the first byte that is zero, or 0.
    @inline(__always)
    fileprivate static func zeros(in word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }
}
