// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Times as gpsd writes them: `2026-06-01T12:00:01.250Z`.
enum UTCTime {
    /// Returns the microseconds since 1970; `nil` for text of another form.
    static func microseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        let pattern = Array("0000-00-00T00:00:00".utf8)
        guard bytes.count > pattern.count, bytes.last == UInt8(ascii: "Z") else { return nil }
        var numbers: [Int32] = [0]
        for (byte, expected) in zip(bytes, pattern) {
            if expected == UInt8(ascii: "0") {
                guard let digit = digit(byte) else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + digit
            } else {
                guard byte == expected else { return nil }
                numbers.append(0)
            }
        }
        guard let fraction = fraction(bytes[pattern.count..<bytes.count - 1]), (1...12).contains(numbers[1]),
            (1...31).contains(numbers[2]), numbers[3] < 24, numbers[4] < 60, numbers[5] < 61
        else { return nil }
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (numbers[3], numbers[4], numbers[5])
        return Int64(timegm(&fields)) * 1_000_000 + fraction
    }

    /// Returns the microseconds that a fraction of a second such as `.25` stands for; 0 for no fraction.
    private static func fraction(_ bytes: ArraySlice<UInt8>) -> Int64? {
        guard let point = bytes.first else { return 0 }
        guard point == UInt8(ascii: "."), bytes.count > 1 else { return nil }
        var unit: Int64 = 100_000
        var sum: Int64 = 0
        for byte in bytes.dropFirst() {
            guard let digit = digit(byte) else { return nil }
            sum += Int64(digit) * unit
            unit /= 10
        }
        return sum
    }

    private static func digit(_ byte: UInt8) -> Int32? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int32(byte - UInt8(ascii: "0")) : nil
    }
}
