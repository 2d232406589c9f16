// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Testing
import Varlink

@Suite struct JSONStringTests {
    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
        (#""\ud83d\ude00!""#, "😀!"), (#""\uD800\uDC00""#, "\u{10000}"), (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
        (#""a\u0000b""#, "a\u{0}b"), (#""é€😀""#, "é€😀"), (#""a\nb\nc""#, "a\nb\nc"), (#""\uFFFF""#, "\u{FFFF}"),
    ])
    func escapesAreDecoded(text: String, value: String) throws {
        let parsed = try #require(try JSON.parse(text: text).stringValue)
        #expect(Array(parsed.utf8) == Array(value.utf8))
    }

    @Test(arguments: [
        #""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\ud800""#, #""\ud800A""#,
        #""\udc00\ud800""#,
    ])
    func halfOfASurrogatePairIsRejected(text: String) {
        #expect(throws: JSONError(offset: 1, reason: .loneSurrogate)) { try JSON.parse(text: text) }
    }

    @Test(
        "V1: invalid UTF-8 is rejected",
        arguments: [
            [0x80], [0xC3], [0xC0, 0xAF], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
            [0xF4, 0x90, 0x80, 0x80],
        ] as [[UInt8]])
    func invalidUTF8IsRejected(bytes: [UInt8]) {
        let error = #expect(throws: JSONError.self) { try JSON.parse(utf8("\"ab") + bytes + utf8("\"")) }
        #expect(error == JSONError(offset: 3, reason: .invalidUTF8))
    }

    @Test func tooManyMarksInARowAreRejected() throws {
        let marks = String(repeating: "\u{301}\u{316}", count: Limits.marks / 2)
        #expect(try JSON.parse(text: "\"a\(marks)b\(marks)\"") == .string("a\(marks)b\(marks)"))
        for text in ["{\"\(marks)\u{301}\":1}", "{\"\(marks)\\u0301\":1}"] {
            #expect(throws: JSONError(offset: 1, reason: .tooManyMarks(maximum: 30))) { try JSON.parse(text: text) }
        }
    }

    @Test func characterSplitByAnEscapeIsRejected() {
        #expect(throws: JSONError(offset: 1, reason: .invalidUTF8)) {
            try JSON.parse([0x22, 0xC3, 0x5C, 0x6E, 0xA9, 0x22])
        }
    }

    @Test(
        "V5: NUL, surrogate pairs and escaped slashes survive a round trip",
        arguments: [#""\u0000""#, #""\ud83d\ude00""#, #""\/""#, #""\u001f\u007f""#])
    func stringsSurviveARoundTrip(text: String) throws {
        let value = try JSON.parse(text: text)
        #expect(try JSON.parse(value.bytes) == value)
        #expect(!value.bytes.contains(0))
    }

    @Test(arguments: [
        ("", #""""#), ("a/b", #""a/b""#), ("é😀", #""é😀""#), ("\"\\", #""\"\\""#), ("\n\r\t", #""\n\r\t""#),
        ("\u{0}\u{1F}\u{8}", #""\u0000\u001f\u0008""#), ("\u{7F}\u{2028}", "\"\u{7F}\u{2028}\""),
    ])
    func onlyRequiredEscapesAreWritten(value: String, text: String) {
        #expect(JSON.string(value).bytes == utf8(text))
    }
}
