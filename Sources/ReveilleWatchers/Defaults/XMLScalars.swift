// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Dates as property lists in XML write them: `2001-01-01T00:00:01Z`.
enum XMLDate {
    /// The seconds since 2001-01-01 00:00:00 UTC; `nil` for text that is no date of the Gregorian calendar.
    static func seconds(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        let pattern = Array("0000-00-00T00:00:00Z".utf8)
        guard bytes.count == pattern.count else { return nil }
        var numbers: [Int] = [0]
        for (byte, expected) in zip(bytes, pattern) {
            if expected == UInt8(ascii: "0") {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte - UInt8(ascii: "0"))
            } else {
                guard byte == expected else { return nil }
                numbers.append(0)
            }
        }
        let (year, month, day) = (numbers[0], numbers[1], numbers[2])
        guard (1...12).contains(month), (1...31).contains(day), numbers[3] < 24, numbers[4] < 60, numbers[5] < 61 else {
            return nil
        }
        let days = daysSinceMarch0(year, month, day) - daysSinceMarch0(2001, 1, 1)
        return Double(days * 86_400 + numbers[3] * 3_600 + numbers[4] * 60 + numbers[5])
    }

    /// Days of the Gregorian calendar; a year that begins in March ends with the day that some years have more.
    private static func daysSinceMarch0(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let month = (month + 9) % 12
        let leaps = (year + 400) / 4 - (year + 400) / 100 + (year + 400) / 400
        return year * 365 + leaps + (month * 306 + 5) / 10 + day
    }
}

/// Bytes as text (RFC 4648), with white space anywhere.
enum Base64 {
    /// The bytes; `nil` for text that has other characters.
    static func decoded(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        var isPadded = false
        for byte in text.utf8 where !SettingsJSON.isSpace(byte) {
            if byte == UInt8(ascii: "=") {
                isPadded = true
                continue
            }
            guard !isPadded, let value = value(byte) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }

    private static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
