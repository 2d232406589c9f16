// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

/// Strings around the boundaries of the eight-byte words that the parser reads.
@Suite struct JSONWordTests {
    /// The offsets of a special byte, before and after three word boundaries wherever a string begins.
    private static let offsets = 0...33
    /// The bytes after it, so that a string ends inside or outside the last whole word of the text.
    private static let rests = [0, 1, 6, 7, 8, 9, 17]

    /// Calls a closure for each text that contains the bytes in a string, as a value and as a name.
    private func forEachText(
        _ special: [UInt8], _ body: (_ text: [UInt8], _ offset: Int, _ rest: Int) throws -> Void
    )
        rethrows
    {
        for offset in Self.offsets {
            for rest in Self.rests {
                let string =
                    utf8("\"") + [UInt8](repeating: 0x61, count: offset) + special
                    + [UInt8](repeating: 0x7A, count: rest) + utf8("\"")
                try body(string, offset, rest)
                try body(utf8("{") + string + utf8(":1}"), offset + 1, rest)
            }
        }
    }

    @Test(
        "plain characters, escapes and characters of each length are read at each offset",
        arguments: [
            ("", ""), (#"\""#, "\""), (#"\\"#, "\\"), (#"\/"#, "/"), (#"\n"#, "\n"), (#"\u0000"#, "\u{0}"),
            (#"\u0022"#, "\""), (#"\u20aC"#, "€"), (#"\ud83d\ude00"#, "😀"), (#"\uD800\uDC00"#, "\u{10000}"),
            (#"\uDBFF\uDFFF"#, "\u{10FFFF}"), (#"\uFFFF"#, "\u{FFFF}"), (#"\b\f\r\t"#, "\u{8}\u{C}\r\t"),
            ("\u{7F}", "\u{7F}"), (" ", " "),
            ("!", "!"),
            ("#", "#"), ("[", "["), ("]", "]"), ("é", "é"), ("€", "€"), ("😀", "😀"), ("\u{80}", "\u{80}"),
            ("\u{A2}", "\u{A2}"), (#"é\né"#, "é\né"), (#"\\\""#, "\\\""),
        ])
    func charactersAreReadAtEachOffset(special: String, character: String) throws {
        try forEachText(utf8(special)) { text, offset, rest in
            let isName = text[0] == UInt8(ascii: "{")
            let value = try JSON.parse(text)
            let string = try #require(isName ? value.objectValue?.members[0].name : value.stringValue)
            let expected =
                String(repeating: "a", count: offset - (isName ? 1 : 0)) + character
                + String(repeating: "z", count: rest)
            #expect(Array(string.utf8) == Array(expected.utf8))
            #expect(value == NaiveJSON.value(text))
        }
    }

    @Test("V7: control characters are rejected at each offset", arguments: Array(0..<0x20) as [UInt8])
    func controlCharactersAreRejectedAtEachOffset(control: UInt8) {
        forEachText([control]) { text, offset, _ in
            #expect(throws: JSONError(offset: offset + 1, reason: .unexpectedByte(control))) { try JSON.parse(text) }
        }
    }

    @Test(
        "V1: invalid UTF-8 is rejected at each offset",
        arguments: [
            [0x80], [0xA0], [0xBF], [0xC0, 0x80], [0xC0, 0xAF], [0xC3], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82],
            [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x98],
            [0xF5, 0x80, 0x80, 0x80], [0xFF],
        ] as [[UInt8]])
    func invalidUTF8IsRejectedAtEachOffset(bytes: [UInt8]) {
        forEachText(bytes) { text, offset, _ in
            #expect(throws: JSONError(offset: offset + 1, reason: .invalidUTF8)) { try JSON.parse(text) }
        }
    }

    @Test(
        "V7: invalid escapes are rejected at each offset",
        arguments: [(#"\x"#, 1), (#"\u12G4"#, 4), (#"\u+041"#, 2), (#"\U0041"#, 1), ("\\\u{1}", 1), (#"\é"#, 1)])
    func invalidEscapesAreRejectedAtEachOffset(escape: String, invalid: Int) {
        forEachText(utf8(escape)) { text, offset, _ in
            let index = offset + 1 + invalid
            #expect(throws: JSONError(offset: index, reason: .unexpectedByte(text[index]))) { try JSON.parse(text) }
        }
    }

    @Test(
        "half of a surrogate pair is rejected at each offset",
        arguments: [
            #"\ud800"#, #"\udc00"#, #"\udbff\ue000"#, #"\ud800\n"#, #"\ud800\ud800"#, #"\ud800A"#, #"\udc00\ud800"#,
        ])
    func halfOfASurrogatePairIsRejectedAtEachOffset(escape: String) {
        forEachText(utf8(escape)) { text, offset, _ in
            #expect(throws: JSONError(offset: offset + 1, reason: .loneSurrogate)) { try JSON.parse(text) }
        }
    }

    @Test(
        "the end of a message is found at each offset, whatever byte follows",
        arguments: [0x00, 0x01, 0x80, 0xFF] as [UInt8])
    func endOfAMessageIsFoundAtEachOffset(next: UInt8) throws {
        for offset in Self.offsets {
            for rest in Self.rests {
                var decoder = FrameDecoder()
                let frame = [UInt8](repeating: 0x01, count: offset)
                decoder.feed((frame + [0] + [UInt8](repeating: next, count: rest)).span)
                #expect(try decoder.nextFrame() == frame)
                #expect(decoder.bufferedCount == rest)
            }
        }
    }
}
