// SPDX-License-Identifier: Apache-2.0

extension JSONParser {
    /// Parses a number as an integer if it fits in `Int64`, otherwise as the nearest `Double`.
    mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> JSONText.Value {
        let start = position
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        var integer = try integerPart(bytes, isNegative: isNegative)
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try digits(bytes)
            integer = nil
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            try digits(bytes)
            integer = nil
        }
        if let integer { return .integer(integer) }
        var text = ""
        for index in start..<position {
            text.unicodeScalars.append(Unicode.Scalar(bytes[index]))
        }
        guard let number = Double(text), number.isFinite else {
            throw JSONError(offset: start, reason: .numberTooLarge)
        }
        return .number(number)
    }

    /// Parses the digits before the fraction, or returns `nil` if they do not fit in `Int64`.
    private mutating func integerPart(
        _ bytes: Span<UInt8>, isNegative: Bool
    ) throws(JSONError) -> Int64? {
        let start = position
        try digits(bytes)
        if bytes[start] == UInt8(ascii: "0"), position > start + 1 {
            position = start + 1
            throw unexpected(bytes)
        }
        // Accumulates with the number's sign, so that `Int64.min` fits as well.
        var value: Int64 = 0
        for index in start..<position {
            let digit = Int64(bytes[index] - UInt8(ascii: "0"))
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) =
                isNegative
                ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }

    private mutating func digits(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = position
        while position < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[position] {
            position += 1
        }
        guard position > start else { throw unexpected(bytes) }
    }
}
