// SPDX-License-Identifier: Apache-2.0

/// Dates as XML property lists write them: `2001-01-01T00:00:01Z`.
enum XMLDate {
    /// Returns the seconds since 2001-01-01 00:00:00 UTC; `nil` for text that is not a Gregorian date.
    static func seconds(_ text: String) -> Double? {
        let pattern = "0000-00-00T00:00:00Z"
        guard text.utf8.count == pattern.utf8.count else { return nil }
        var numbers = [0]
        for (byte, expected) in zip(text.utf8, pattern.utf8) {
            if expected == UInt8(ascii: "0") {
                guard byte.isDigit else { return nil }
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
        let days = CivilDate(year, month, day).dayNumber - CivilDate(2001, 1, 1).dayNumber
        return Double(days * 86_400 + numbers[3] * 3_600 + numbers[4] * 60 + numbers[5])
    }
}
