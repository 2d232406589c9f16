// SPDX-License-Identifier: Apache-2.0

/// A position in a JSON text, from which values are parsed.
///
/// The text is passed as an argument because storing a span in a structure requires an experimental compiler
/// feature.
struct JSONParser {
    /// The usual length of a value or a name in bytes, with the punctuation around it.
    private static let usualLength = 8

    /// The most values for which there is room from the start: enough for all usual messages.
    static let reservedCount = 64

    private let maximumDepth: Int
    var position = 0
    /// The values before the position, followed by leftover values of an earlier text.
    private(set) var nodes: [JSONText.Node]
    /// The number of values before the position.
    private var count = 0
    /// The strings with escapes before the position, with characters in place of the escapes.
    var unescaped: [UInt8] = []

    init(maximumDepth: Int, reusing nodes: consuming [JSONText.Node] = []) {
        self.maximumDepth = maximumDepth
        self.nodes = nodes
    }

    mutating func text(_ bytes: Span<UInt8>) throws(JSONError) {
        if nodes.isEmpty {
            nodes.reserveCapacity(min(bytes.count / JSONParser.usualLength, JSONParser.reservedCount) + 1)
        }
        try value(bytes, named: JSONText.Part(start: 0, end: 0), depth: 0)
        skipWhitespace(bytes)
        guard position == bytes.count else { throw unexpected(bytes) }
    }

    /// Parses a value inside `depth` arrays and objects.
    @inline(__always)
    private mutating func value(_ bytes: Span<UInt8>, named name: JSONText.Part, depth: Int) throws(JSONError) {
        let value: JSONText.Value
        switch try token(bytes) {
        case UInt8(ascii: "{"): return try object(bytes, named: name, depth: depth + 1)
        case UInt8(ascii: "["): return try array(bytes, named: name, depth: depth + 1)
        case UInt8(ascii: "\""): value = .string(try string(bytes))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): value = try number(bytes)
        case UInt8(ascii: "t"): value = try literal("true", .bool(true), bytes)
        case UInt8(ascii: "f"): value = try literal("false", .bool(false), bytes)
        case UInt8(ascii: "n"): value = try literal("null", .null, bytes)
        default: throw unexpected(bytes)
        }
        append(JSONText.Node(name: name, value: value))
    }

    @inline(__always)
    private mutating func append(_ node: JSONText.Node) {
        if count < nodes.count { nodes[count] = node } else { nodes.append(node) }
        count &+= 1
    }

    private mutating func object(_ bytes: Span<UInt8>, named name: JSONText.Part, depth: Int) throws(JSONError) {
        let object = try open(name, depth: depth)
        if try token(bytes) == UInt8(ascii: "}") {
            position += 1
        } else {
            repeat {
                guard try token(bytes) == UInt8(ascii: "\"") else { throw unexpected(bytes) }
                let name = try string(bytes)
                guard try token(bytes) == UInt8(ascii: ":") else { throw unexpected(bytes) }
                position += 1
                try value(bytes, named: name, depth: depth)
            } while try another(before: UInt8(ascii: "}"), bytes)
        }
        nodes[object] = JSONText.Node(name: name, value: .object(end: count))
    }

    private mutating func array(_ bytes: Span<UInt8>, named name: JSONText.Part, depth: Int) throws(JSONError) {
        let array = try open(name, depth: depth)
        if try token(bytes) == UInt8(ascii: "]") {
            position += 1
        } else {
            repeat {
                try value(bytes, named: JSONText.Part(start: 0, end: 0), depth: depth)
            } while try another(before: UInt8(ascii: "]"), bytes)
        }
        nodes[array] = JSONText.Node(name: name, value: .array(end: count))
    }

    /// Begins an array or an object, and returns its index.
    @inline(__always)
    private mutating func open(_ name: JSONText.Part, depth: Int) throws(JSONError) -> Int {
        guard depth <= maximumDepth else {
            throw JSONError(offset: position, reason: .tooDeep(maximum: maximumDepth))
        }
        position += 1
        // Replaced once its end is known.
        append(JSONText.Node(name: name, value: .null))
        return count - 1
    }

    /// Skips the comma before another element, or the end of the container, and returns whether another follows.
    @inline(__always)
    private mutating func another(before end: UInt8, _ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        let byte = try token(bytes)
        guard byte == UInt8(ascii: ",") || byte == end else { throw unexpected(bytes) }
        position += 1
        return byte != end
    }

    private mutating func literal(
        _ word: StaticString, _ value: JSONText.Value, _ bytes: Span<UInt8>
    ) throws(JSONError) -> JSONText.Value {
        for index in 0..<word.utf8CodeUnitCount {
            let byte = unsafe word.utf8Start[index]
            guard position < bytes.count, bytes[position] == byte else { throw unexpected(bytes) }
            position += 1
        }
        return value
    }

    /// Returns the next byte that is not white space, without consuming it.
    @inline(__always)
    private mutating func token(_ bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
        skipWhitespace(bytes)
        guard position < bytes.count else { throw unexpected(bytes) }
        return bytes[position]
    }

    @inline(__always)
    private mutating func skipWhitespace(_ bytes: Span<UInt8>) {
        while position < bytes.count, bytes[position] <= UInt8(ascii: " ") {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    func unexpected(_ bytes: Span<UInt8>) -> JSONError {
        let reason = position < bytes.count ? .unexpectedByte(bytes[position]) : JSONError.Reason.unexpectedEnd
        return JSONError(offset: position, reason: reason)
    }
}
