// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Makes plain JSON of JSON with comments and trailing commas, as editors and bars keep their settings.
///
/// Foundation reads these itself as JSON5, but ends the process at numbers such as `1E+` then.
enum JSONComments {
    /// The bytes with spaces in place of comments and of commas before a closing bracket.
    ///
    /// What else is wrong with the text stays wrong.
    static func removed(from bytes: [UInt8]) -> [UInt8] {
        var result = bytes
        var index = 0
        var comma: Int?
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index = endOfString(in: bytes, from: index)
                comma = nil
                continue
            case UInt8(ascii: "/"):
                // Without an end there is nothing behind it either, and no sense in looking for another.
                guard let end = endOfComment(in: bytes, from: index) else { return result }
                for place in index..<end { result[place] = UInt8(ascii: " ") }
                if end == index { comma = nil }
                index = max(end, index + 1)
                continue
            case UInt8(ascii: ","):
                comma = index
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if let comma { result[comma] = UInt8(ascii: " ") }
                comma = nil
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                break
            default:
                comma = nil
            }
            index += 1
        }
        return result
    }

    /// The place after a string's closing quote.
    private static func endOfString(in bytes: [UInt8], from start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, bytes.count)
    }

    /// The place after a comment; the start when there is none, `nil` for one without an end.
    private static func endOfComment(in bytes: [UInt8], from start: Int) -> Int? {
        guard start + 1 < bytes.count else { return start }
        switch bytes[start + 1] {
        case UInt8(ascii: "/"):
            return bytes[start...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? bytes.count
        case UInt8(ascii: "*"):
            var index = start + 2
            while index + 1 < bytes.count {
                if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") { return index + 2 }
                index += 1
            }
            return nil
        default:
            return start
        }
    }
}
