// SPDX-License-Identifier: Apache-2.0

// The parts of JSON text, written to memory if it has room for them.

extension [UInt8] {
    /// The room for a text of unknown length: most events fit.
    private static var usualRoom: Int { 512 }

    /// Appends a text, which `write` writes again to twice the room if it has filled the room.
    package mutating func appendText(room: Int? = nil, _ write: (inout OutputSpan<UInt8>) -> Void) {
        let start = count
        var room = room ?? Swift.max(Self.usualRoom, capacity - start)
        while true {
            var isFull = false
            append(addingCapacity: room) { output in
                write(&output)
                isFull = output.isFull
            }
            guard isFull else { return }
            removeLast(count - start)
            room *= 2
        }
    }
}

extension OutputSpan<UInt8> {
    @inlinable
    @_lifetime(self: copy self)
    package mutating func append(byte: UInt8) {
        if hasRoom(for: 1) { append(byte) }
    }

    @_lifetime(self: copy self)
    package mutating func append(bytes: Span<UInt8>) {
        guard hasRoom(for: bytes.count) else { return }
        for index in bytes.indices { append(bytes[index]) }
    }

    @_lifetime(self: copy self)
    package mutating func append(text: String) { append(bytes: text.utf8.span) }

    /// Appends a quoted string and escapes only the characters that require it.
    @_lifetime(self: copy self)
    package mutating func append(string: String) {
        append(string: string.utf8.span)
    }

    @_lifetime(self: copy self)
    mutating func append(string bytes: Span<UInt8>) {
        // Searching a short string takes longer than the room is worth.
        guard count + 6 * bytes.count + 2 <= capacity || hasRoom(for: JSON.room(forString: bytes)) else { return }
        append(UInt8(ascii: "\""))
        var plain = 0
        while plain < bytes.count, !JSON.needsEscape(bytes[plain]) {
            append(bytes[plain])
            plain += 1
        }
        if plain < bytes.count { append(escaping: bytes.extracting(plain...)) }
        append(UInt8(ascii: "\""))
    }

    /// Appends an integer without a fraction or exponent.
    @_lifetime(self: copy self)
    package mutating func append(integer: Int64) {
        guard hasRoom(for: JSON.integerRoom) else { return }
        if 0..<10 ~= integer { return append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: integer)) }
        if integer < 0 { append(UInt8(ascii: "-")) }
        append(digitsOf: integer.magnitude)
    }

    /// Appends a number with a fraction or an exponent, or `null` if it is not finite.
    @_lifetime(self: copy self)
    package mutating func append(number: Double) {
        append(text: number.isFinite ? number.description : "null")
    }

    // MARK: - Digits

    private static var zeros: UInt64 { 0x3030_3030_3030_3030 }

    @_lifetime(self: copy self)
    private mutating func append(digitsOf value: UInt64) {
        if value < 100_000_000 {
            let digits = eightDigits(of: value)
            let leadingZeros = min(digits.trailingZeroBitCount / 8, 7)
            append(word: (digits | Self.zeros) >> UInt64(8 * leadingZeros))
            removeLast(leadingZeros)
        } else {
            append(digitsOf: value / 100_000_000)
            append(word: eightDigits(of: value % 100_000_000) | Self.zeros)
        }
    }

    /// Returns the eight digits of a number in the bytes of a word, the first digit in the lowest byte.
    ///
    /// Two multiplications divide two numbers at the same time, then four. This takes a quarter of the instructions of
    /// dividing by ten eight times.
    private func eightDigits(of value: UInt64) -> UInt64 {
        let fours = value / 10_000 | (value % 10_000) << 32
        let hundreds = (fours &* 10_486) >> 20 & 0x0000_007F_0000_007F
        let twos = hundreds | (fours &- hundreds &* 100) << 16
        let tens = (twos &* 103) >> 10 & 0x000F_000F_000F_000F
        return tens | (twos &- tens &* 10) << 8
    }

    // MARK: - Escapes

    /// Appends the rest of a string from the first character that requires an escape.
    @inline(never)
    @_lifetime(self: copy self)
    private mutating func append(escaping bytes: Span<UInt8>) {
        for index in bytes.indices {
            let byte = bytes[index]
            if JSON.needsEscape(byte) { append(escaped: byte) } else { append(byte) }
        }
    }

    @_lifetime(self: copy self)
    private mutating func append(escaped byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): append(UInt8(ascii: "t"))
        case 0..<0x20:
            append(text: byte < 0x10 ? "u000" : "u00")
            append(text: String(byte, radix: 16))
        default: append(byte)
        }
    }
}

// The parts of the writer that let a caller write a message without creating a value first.

extension JSON {
    /// Appends a quoted string and escapes only the characters that require it.
    public static func writeString(_ string: String, into bytes: inout [UInt8]) {
        bytes.append(addingCapacity: room(forString: string)) { $0.append(string: string) }
    }

    /// Appends an integer without a fraction or exponent.
    public static func writeInteger(_ value: Int64, into bytes: inout [UInt8]) {
        bytes.append(addingCapacity: integerRoom) { $0.append(integer: value) }
    }

    /// Appends a number with a fraction or an exponent, or `null` if it is not finite, which JSON cannot represent.
    public static func writeNumber(_ value: Double, into bytes: inout [UInt8]) {
        bytes.append(addingCapacity: numberRoom) { $0.append(number: value) }
    }

    /// The room in bytes for any integer: a sign and 19 digits.
    @inlinable package static var integerRoom: Int { 20 }

    /// The room in bytes for any number: a sign, 17 digits, a point, and an exponent with its sign and three digits.
    @inlinable package static var numberRoom: Int { 24 }

    /// The room in bytes for a string: a character that requires an escape becomes at most six.
    package static func room(forString string: String) -> Int {
        room(forString: string.utf8.span)
    }

    static func room(forString bytes: Span<UInt8>) -> Int {
        var room = bytes.count + 2
        for index in bytes.indices where needsEscape(bytes[index]) { room += 5 }
        return room
    }

    static func needsEscape(_ byte: UInt8) -> Bool {
        // Lowercase letters, the most frequent, need one comparison.
        byte <= UInt8(ascii: "\\")
            && (byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"") || byte < 0x20)
    }
}
