// SPDX-License-Identifier: Apache-2.0

import Varlink

/// Random JSON texts in every notation: with white space, escapes, repeated names and unusual numbers.
struct RandomText {
    private(set) var bytes: [UInt8] = []
    private var random: SplitMix64

    static func object(using random: inout SplitMix64) -> [UInt8] {
        var text = RandomText(random: random)
        text.object(depth: 4)
        random = text.random
        return text.bytes
    }

    /// Returns a text with a few bytes replaced, inserted, removed or repeated.
    static func damaged(_ text: [UInt8], using random: inout SplitMix64) -> [UInt8] {
        var text = text
        for _ in 0..<Int.random(in: 1...3, using: &random) where !text.isEmpty {
            let index = Int.random(in: 0..<text.count, using: &random)
            let end = min(text.count, index + Int.random(in: 1...9, using: &random))
            let byte = special.randomElement(using: &random) ?? UInt8.random(in: 0...255, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: text[index] = byte
            case 1: text.insert(byte, at: index)
            case 2: text.removeSubrange(index..<end)
            case 3: text.insert(contentsOf: text[index..<end], at: Int.random(in: 0...text.count, using: &random))
            default: text[index] = UInt8.random(in: 0...255, using: &random)
            }
        }
        return text
    }

    private static let special =
        Array(#""\{}[]:,0123456789-+.eEunrtbf/ lsa"#.utf8) + [
            0x00, 0x09, 0x0A, 0x1F, 0x7F, 0x80, 0xBF, 0xC3, 0xE2, 0xED, 0xF0, 0xFF,
        ]
    private static let names = [
        "", "a", #"\u0061"#, "ab", "eightlet", "ninelette", "sixteen letters!", "seventeen letters", "é", "e\u{301}",
        #"e\u0301"#, #"\""#, "a name of 24 bytes length", "a name of 24 bytes lengti", "a\u{7F}",
    ]
    private static let numbers = [
        "0", "-0", "0.0", "-0.0", "1.0", "0.1e1", "1e0", "1E+2", "12e-1", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "-9223372036854775809", "9007199254740993", "1e308", "1e400", "1e-400",
        "123456789012345678901234567890", "0.30000000000000004", "5e-324",
    ]
    private static let escapes = [
        #"\""#, #"\\"#, #"\/"#, #"\b"#, #"\f"#, #"\n"#, #"\r"#, #"\t"#, #"\u0000"#, #"\u0041"#, #"\u20aC"#,
        #"\ud83d\ude00"#, #"\uFFFF"#, "é", "€", "😀", "\u{7F}",
    ]

    private init(random: SplitMix64) {
        self.random = random
    }

    private mutating func object(depth: Int) {
        list("{", "}") { text in
            text.append(
                Bool.random(using: &text.random)
                    ? "\"" + (Self.names.randomElement(using: &text.random) ?? "") + "\"" : text.string())
            text.space()
            text.append(":")
            text.value(depth: depth - 1)
        }
    }

    private mutating func value(depth: Int) {
        space()
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
        case 0: append(["null", "true", "false"].randomElement(using: &random) ?? "")
        case 1: append(Self.numbers.randomElement(using: &random) ?? "")
        case 2: append("\(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random))")
        case 3, 4: append(string())
        case 5: list("[", "]") { $0.value(depth: depth - 1) }
        default: object(depth: depth)
        }
        space()
    }

    private mutating func list(_ start: String, _ end: String, _ element: (inout RandomText) -> Void) {
        append(start)
        space()
        for index in 0..<JSON.randomCount(using: &random) {
            if index > 0 { append(",") }
            space()
            element(&self)
            space()
        }
        append(end)
    }

    /// Returns a quoted string: plain letters, in which special characters are at random offsets.
    private mutating func string() -> String {
        var string = "\""
        let rarity = Int.random(in: 1...30, using: &random)
        for index in 0..<Int.random(in: 0...40, using: &random) {
            if Int.random(in: 0..<rarity, using: &random) == 0 {
                string += Self.escapes.randomElement(using: &random) ?? ""
            } else {
                string.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "a") + UInt8(index % 26)))
            }
        }
        return string + "\""
    }

    private mutating func space() {
        while Int.random(in: 0..<6, using: &random) == 0 {
            append([" ", "\t", "\r", "\n"].randomElement(using: &random) ?? "")
        }
    }

    private mutating func append(_ text: String) { bytes += text.utf8 }
}
