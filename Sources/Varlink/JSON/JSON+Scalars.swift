// SPDX-License-Identifier: Apache-2.0

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
