// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct JSONStringTests {

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
