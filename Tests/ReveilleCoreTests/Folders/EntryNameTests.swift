// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore

@Suite struct EntryNameTests {
    private func text(_ bytes: [UInt8]) -> String {
        EntryName(bytes.span).text
    }

    @Test(
        "B180: control characters, invalid bytes and backslashes are escaped",
        arguments: [
            ("plain name.txt", "plain name.txt"), ("café ü 日本 🎉", "café ü 日本 🎉"), (#"a\b"#, #"a\\b"#),
            ("line\nbreak", #"line\x0abreak"#), ("\u{1b}[31m", #"\x1b[31m"#), ("\u{7f}", #"\x7f"#),
            ("é\u{85}\u{a0}", "é\\xc2\\x85\u{a0}"), ("", ""),
        ])
    func textIsEscaped(name: String, expected: String) {
        #expect(text(Array(name.utf8)).utf8.elementsEqual(expected.utf8))
    }

    @Test(
        "B180: bytes that are not UTF-8 are escaped one by one",
        arguments: [
            ([0xff], #"\xff"#), ([0x61, 0xe9, 0x62], #"a\xe9b"#), ([0xc3], #"\xc3"#), ([0xc3, 0xa9, 0xc3], #"é\xc3"#),
            ([0xed, 0xa0, 0x80], #"\xed\xa0\x80"#), ([0xf0, 0x9f, 0x8e], #"\xf0\x9f\x8e"#),
            ([0x5c, 0x78, 0x66, 0x66], #"\\xff"#),
        ] as [([UInt8], String)])
    func invalidBytesAreEscaped(bytes: [UInt8], expected: String) {
        #expect(text(bytes) == expected)
    }

    @Test("combining marks that parsers of messages refuse are escaped, and others are not")
    func excessMarksAreEscaped() throws {
        let most = "a" + String(repeating: "\u{301}", count: 30)
        #expect(text(Array(most.utf8)).utf8.elementsEqual(most.utf8))
        let longer = text(Array((most + "\u{301}\u{301}b").utf8))
        #expect(longer.utf8.elementsEqual((most + #"\xcc\x81\xcc\x81b"#).utf8))
    }

    @Test("two spellings of one letter are two names") func spellingsDiffer() {
        let (composed, decomposed) = (EntryName(escaped: "\u{e9}"), EntryName(escaped: "e\u{301}"))
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        let listing = FolderListing(
            name: "d", path: "/d",
            entries: [composed, decomposed].map { FolderEntry(name: $0, identity: 1, stamp: 1) })
        #expect(listing.entries.count == 2)
    }
}
