// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleTool

/// The keys in what a terminal sends.
@Suite struct KeyDecoderTests {
    @Test(
        arguments: [
            ("q", [Key.character("q")]), ("\u{1B}", [.escape]), ("\u{1B}[A\u{1B}[B", [.up, .down]),
            ("\u{1B}OA\u{1B}OH", [.up, .home]), ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]),
            ("\u{1B}[1~\u{1B}[4~\u{1B}[H\u{1B}[F", [.home, .end, .home, .end]), ("\t\u{1B}[Z", [.tab, .tab]),
            ("\r\n", [.enter, .enter]), ("\u{7F}\u{8}", [.backspace, .backspace]),
            ("\u{4}\u{C}\u{15}", [.endOfInput, .redraw, .eraseLine]), ("世é", [.character("世"), .character("é")]),
            // Keys without a meaning: F5, Alt-x, Ctrl-A, a focus event.
            ("\u{1B}[15~a", [.character("a")]), ("\u{1B}x", [.escape, .character("x")]), ("\u{1}", []),
            ("\u{1B}[I", []),
            ("\u{1B}[1;5A", [.up]), ("", []),
        ])
    func bytesAreKeys(text: String, keys: [Key]) {
        var decoder = KeyDecoder()
        #expect(decoder.keys(in: text.utf8) == keys)
    }

    @Test func keyMayArriveInParts() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(in: [0x1B, 0x5B]).isEmpty)
        #expect(decoder.keys(in: [0x36]).isEmpty)
        #expect(decoder.keys(in: [0x7E, 0xE4, 0xB8]) == [.pageDown])
        #expect(decoder.keys(in: [0x96]) == [.character("世")])
    }

    @Test(arguments: [[0xFF, 0x61], [0xC0, 0x80, 0x61], [0xE4, 0x61, 0x61, 0x61], [0x80, 0x61]] as [[UInt8]])
    func invalidBytesAreDropped(bytes: [UInt8]) {
        var decoder = KeyDecoder()
        #expect(decoder.keys(in: bytes).last == .character("a"))
    }

    @Test func endlessSequenceIsDropped() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(in: Array("\u{1B}[".utf8) + [UInt8](repeating: 0x31, count: 1_000_000)).isEmpty)
        #expect(decoder.keys(in: "q".utf8) == [.character("q")])
    }
}
