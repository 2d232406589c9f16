// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A position in a JSON text, from which values are parsed.
///
/// The text is passed as an argument because storing a span in a structure requires an experimental compiler
/// feature.
struct JSONParser {
    private let maximumDepth: Int
    var position = 0

    init(maximumDepth: Int) {
        self.maximumDepth = maximumDepth
    }

    /// Parses the whole text.
    mutating func text(_ bytes: Span<UInt8>) throws(JSONError) -> JSON {
        let value = try value(bytes, depth: 0)
        skipWhitespace(bytes)
        guard position == bytes.count else { throw unexpected(bytes) }
        return value
    }

    /// Parses a value inside `depth` arrays and objects.
    private mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSON {
        switch try token(bytes) {
        case UInt8(ascii: "{"): return .object(try object(bytes, depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(bytes, depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string(bytes))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(bytes)
        case UInt8(ascii: "t"): return try literal("true", .bool(true), bytes)
        case UInt8(ascii: "f"): return try literal("false", .bool(false), bytes)
        case UInt8(ascii: "n"): return try literal("null", .null, bytes)
        default: throw unexpected(bytes)
        }
    }

    private mutating func object(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSONObject {
        try open(depth: depth)
        var object = JSONObject()
        guard try token(bytes) != UInt8(ascii: "}") else {
            position += 1
            return object
        }
        object.members.reserveCapacity(4)
        repeat {
            guard try token(bytes) == UInt8(ascii: "\"") else { throw unexpected(bytes) }
            let name = try string(bytes)
            guard try token(bytes) == UInt8(ascii: ":") else { throw unexpected(bytes) }
            position += 1
            object.members.append(JSONObject.Member(name: name, value: try value(bytes, depth: depth)))
        } while try another(before: UInt8(ascii: "}"), bytes)
        return object
    }

    private mutating func array(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> [JSON] {
        try open(depth: depth)
        var elements: [JSON] = []
        guard try token(bytes) != UInt8(ascii: "]") else {
            position += 1
            return elements
        }
        repeat {
            elements.append(try value(bytes, depth: depth))
        } while try another(before: UInt8(ascii: "]"), bytes)
        return elements
    }

    private mutating func open(depth: Int) throws(JSONError) {
        guard depth <= maximumDepth else {
            throw JSONError(offset: position, reason: .tooDeep(maximum: maximumDepth))
        }
        position += 1
    }

    /// Skips the comma before another element, or the end of the container, and returns whether another follows.
    private mutating func another(before end: UInt8, _ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        let byte = try token(bytes)
        guard byte == UInt8(ascii: ",") || byte == end else { throw unexpected(bytes) }
        position += 1
        return byte != end
    }

    private mutating func literal(
        _ word: String, _ value: JSON, _ bytes: Span<UInt8>
    ) throws(JSONError) -> JSON {
        for byte in word.utf8 {
            guard position < bytes.count, bytes[position] == byte else { throw unexpected(bytes) }
            position += 1
        }
        return value
    }

    /// Returns the next byte that is not white space, without consuming it.
    private mutating func token(_ bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
        skipWhitespace(bytes)
        guard position < bytes.count else { throw unexpected(bytes) }
        return bytes[position]
    }

    private mutating func skipWhitespace(_ bytes: Span<UInt8>) {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    /// Returns the error for an unexpected byte, or an unexpected end, at the current position.
    func unexpected(_ bytes: Span<UInt8>) -> JSONError {
        let reason = position < bytes.count ? .unexpectedByte(bytes[position]) : JSONError.Reason.unexpectedEnd
        return JSONError(offset: position, reason: reason)
    }
}
