// SPDX-License-Identifier: Apache-2.0

/// A reader of XML property lists in UTF-8.
///
/// A document type is skipped; entities are the five of XML and numbers. The last of several equal keys wins. The bytes
/// are read once.
package struct XMLPropertyList {
    private var scanner: XMLScanner
    private var budget = SettingsBudget()

    package static func opens(_ bytes: [UInt8]) -> Bool {
        let start = bytes.prefix(512).drop(while: \.isSpace)
        guard start.starts(with: "<?xml".utf8) else { return start.starts(with: "<plist".utf8) }
        return start.split(separator: UInt8(ascii: "<")).contains {
            $0.starts(with: "plist".utf8) || $0.starts(with: "!DOCTYPE plist".utf8)
        }
    }

    /// Parses a file; throws if the bytes are not a valid list, or exceed the limits of `SettingsValue`.
    package static func parse(_ bytes: [UInt8]) throws(FormatError) -> SettingsValue {
        // In another encoding, bytes that look like a tag may not be one.
        guard opens(bytes), !bytes.contains(0), bytes.isUTF8 else {
            throw FormatError("not a property list in XML (UTF-8) or binary")
        }
        var reader = XMLPropertyList(scanner: XMLScanner(bytes))
        guard case .start("plist", isEmpty: false) = try reader.scanner.tag(isProlog: true) else {
            throw reader.scanner.invalid
        }
        guard case .start(let name, let isEmpty) = try reader.scanner.tag() else { throw reader.scanner.invalid }
        let value = try reader.value(name, isEmpty: isEmpty, depth: 0)
        try reader.scanner.end(of: "plist")
        guard try reader.scanner.isAtEnd() else { throw reader.scanner.invalid }
        return value
    }

    private mutating func value(_ name: String, isEmpty: Bool, depth: Int) throws(FormatError) -> SettingsValue {
        try budget.pay()
        switch name {
        case "dict": return .dictionary(isEmpty ? [:] : try table(depth: depth + 1))
        case "array": return .array(isEmpty ? [] : try list(depth: depth + 1))
        default: break
        }
        let text = isEmpty ? [] : try scanner.text(endingWith: name)
        guard let value = Self.scalar(name, text) else { throw scanner.invalid }
        return value
    }

    private mutating func table(depth: Int) throws(FormatError) -> [String: SettingsValue] {
        try SettingsBudget.check(depth: depth)
        var values: [String: SettingsValue] = [:]
        while true {
            switch try scanner.tag() {
            case .end("dict"): return values
            case .start("key", let isEmpty):
                let key = isEmpty ? "" : try scanner.text(endingWith: "key")[...].text
                try budget.pay(forKey: key)
                guard case .start(let name, let isEmpty) = try scanner.tag() else { throw scanner.invalid }
                values[key] = try value(name, isEmpty: isEmpty, depth: depth)
            default: throw scanner.invalid
            }
        }
    }

    private mutating func list(depth: Int) throws(FormatError) -> [SettingsValue] {
        try SettingsBudget.check(depth: depth)
        var values: [SettingsValue] = []
        while true {
            switch try scanner.tag() {
            case .end("array"): return values
            case .start(let name, let isEmpty): values.append(try value(name, isEmpty: isEmpty, depth: depth))
            case .end: throw scanner.invalid
            }
        }
    }

    private static func scalar(_ name: String, _ bytes: [UInt8]) -> SettingsValue? {
        var text: String { bytes.trimmed(\.isSpace).text }
        switch name {
        case "string": return .string(bytes[...].text)
        case "true": return bytes.isEmpty ? .bool(true) : nil
        case "false": return bytes.isEmpty ? .bool(false) : nil
        case "integer": return integer(text).map { .integer($0) }
        case "real": return Double(text).map { .real($0) }
        case "date": return XMLDate.seconds(text).map { .date($0) }
        case "data": return Base64.decoded(bytes).map { .data($0) }
        default: return nil
        }
    }

    private static func integer(_ text: String) -> Int128? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) else { return Int128(text) }
        guard let magnitude = UInt64(Substring(digits.dropFirst(2)), radix: 16) else { return nil }
        return isNegative ? -Int128(magnitude) : Int128(magnitude)
    }
}

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
