// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

// The parts of the writer with which a caller can write a message without creating a value first.

extension JSON {
    /// Appends a quoted string and escapes only the characters that require it.
    public static func writeString(_ string: String, into bytes: inout [UInt8]) {
        let text = string.utf8.span
        bytes.append(UInt8(ascii: "\""))
        if text.indices.contains(where: { needsEscape(text[$0]) }) {
            for index in text.indices { writeEscaped(text[index], into: &bytes) }
        } else {
            bytes.append(addingCapacity: text.count) { end in
                for index in text.indices { end.append(text[index]) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends an integer without a fraction or exponent.
    public static func writeInteger(_ value: Int64, into bytes: inout [UInt8]) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        var rest = value.magnitude
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    /// Appends a number with a fraction or an exponent, or `null` if it is not finite, which JSON cannot represent.
    public static func writeNumber(_ value: Double, into bytes: inout [UInt8]) {
        bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func writeEscaped(_ byte: UInt8, into bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
        case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
        case UInt8(ascii: "\n"): bytes.append(contentsOf: #"\n"#.utf8)
        case UInt8(ascii: "\r"): bytes.append(contentsOf: #"\r"#.utf8)
        case UInt8(ascii: "\t"): bytes.append(contentsOf: #"\t"#.utf8)
        case 0..<0x10: bytes.append(contentsOf: (#"\u000"# + String(byte, radix: 16)).utf8)
        case 0x10..<0x20: bytes.append(contentsOf: (#"\u00"# + String(byte, radix: 16)).utf8)
        default: bytes.append(byte)
        }
    }
}
