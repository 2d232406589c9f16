// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Varlink

/// What is read is written as what it was; what nests too deep is refused where it does.
enum JSONTarget {
    static func check(_ bytes: [UInt8]) throws(Falsified) {
        let value: JSON
        do {
            value = try JSON.parse(bytes)
        } catch {
            try require((0...bytes.count).contains(error.offset), "an error inside the text: \(error)")
            guard case .tooDeep(let maximum) = error.reason else { return }
            try requireEqual(depth(of: bytes[...error.offset]), maximum + 1, "the depth where it is too deep")
            return
        }
        let text = value.bytes
        try require(!text.contains(0), "no NUL, which would end a message")
        let depth = depth(of: text[...])
        try require(depth <= Limits.jsonDepth, "no deeper than allowed, not \(depth)")
        try requireEqual(parsed(text[...], depth), value, "written and read, at just the depth it has")
        try requireEqual(parsed(text[...], depth)?.bytes, text, "written twice")
        try requireEqual(parsed(([0] + bytes).dropFirst(), depth), value, "a part of an array, and all of one")
        if depth > 0 { try requireEqual(parsed(text[...], depth - 1), nil, "one level less than it has") }
    }

    private static func parsed(_ text: ArraySlice<UInt8>, _ depth: Int) -> JSON? {
        try? JSON.parse(text, maximumDepth: depth)
    }

    /// How deep brackets nest outside strings.
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
