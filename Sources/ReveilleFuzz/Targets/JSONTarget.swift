// SPDX-License-Identifier: Apache-2.0

import Varlink

/// Checks that values survive being written, parsed and encoded, that deep nesting is rejected at the right position, and
/// that white space around a text makes no difference.
enum JSONTarget {
    private static let space = [UInt8](repeating: UInt8(ascii: " "), count: 16)

    static func check(_ bytes: [UInt8]) throws(Falsified) {
        let value: JSON
        do {
            value = try JSON.parse(bytes)
        } catch {
            try require((0...bytes.count).contains(error.offset), "an error has an offset in the text: \(error)")
            try requireEqual(try? JSON.parse(bytes + space), nil, "an invalid text with white space behind it")
            guard case .tooDeep(let maximum) = error.reason else { return }
            try requireEqual(depth(of: bytes[...error.offset]), maximum + 1, "the depth at the error")
            return
        }
        let text = value.bytes
        // The parser reads whole words, and the last bytes of a text one by one.
        try requireEqual((try? JSON.parse(space.dropLast(5) + bytes + space))?.bytes, text, "a value in white space")
        try require(!text.contains(0), "written text has no NUL")
        let depth = depth(of: text[...])
        try require(depth <= Limits.jsonDepth, "the depth \(depth) is within the limit")
        try requireEqual(parsed(text, depth), value, "a value parsed again at its exact depth")
        try requireEqual(parsed(text, depth)?.bytes, text, "text written again")
        if depth > 0 { try requireEqual(parsed(text, depth - 1), nil, "a value deeper than the limit") }
        let form = value.canonical.bytes
        try requireEqual(parsed(form, depth)?.canonical.bytes, form, "the canonical form of a canonical form")
        try requireEqual(try? JSON(encoding: value).canonical.bytes, form, "the canonical form of an encoded value")
        _ = try? value.decode([String: [Double?]].self)
    }

    private static func parsed(_ text: [UInt8], _ depth: Int) -> JSON? {
        try? JSON.parse(text, maximumDepth: depth)
    }

    /// Returns the nesting depth of brackets outside strings.
    private static func depth(of text: ArraySlice<UInt8>) -> Int {
        var depth = 0
        var deepest = 0
        var isInString = false
        var isEscaped = false
        for byte in text {
            if isInString {
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            deepest = max(deepest, depth)
        }
        return deepest
    }
}
