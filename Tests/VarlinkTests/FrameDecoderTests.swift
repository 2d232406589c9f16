// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct FrameDecoderTests {
    private func frames(_ decoder: inout FrameDecoder) throws -> [String] {
        var frames: [String] = []
        while let frame = try decoder.nextFrame() {
            frames.append(String(decoding: frame, as: UTF8.self))
        }
        return frames
    }

    @Test("V2, V3: the boundaries of reads make no difference", arguments: 0...14)
    func everySplitPointGivesTheSameFrames(split: Int) throws {
        let bytes = utf8("{}\0{\"a\":1}\0\0x\0")
        var decoder = FrameDecoder()
        let (head, tail) = (bytes[..<split], bytes[split...])
        decoder.feed(head.span)
        var received = try frames(&decoder)
        decoder.feed(tail.span)
        received += try frames(&decoder)
        #expect(received == ["{}", "{\"a\":1}", "", "x"])
        #expect(decoder.bufferedCount == 0)
    }

    @Test func framesCanBeTakenLater() throws {
        var decoder = FrameDecoder()
        decoder.feed(text: "a\0b\0c")
        #expect(try decoder.nextFrame() == utf8("a"))
        decoder.feed(text: "c\0")
        #expect(decoder.bufferedCount == 5)
        #expect(try frames(&decoder) == ["b", "cc"])
    }

    @Test("V34: a frame of maximum length is accepted, and one byte more is rejected")
    func frameOverTheMaximumIsRejected() throws {
        var decoder = FrameDecoder(maximumLength: 4)
        decoder.feed(text: "abcd\0")
        #expect(try decoder.nextFrame() == utf8("abcd"))
        decoder.feed(text: "abcde\0")
        #expect(throws: VarlinkError.tooLong(maximum: 4)) { try decoder.nextFrame() }
    }

    @Test("V34: an oversized frame is rejected before its NUL arrives")
    func oversizedFrameIsRejectedWithoutItsEnd() throws {
        var decoder = FrameDecoder(maximumLength: 4)
        decoder.feed(text: "abcd")
        #expect(try decoder.nextFrame() == nil)
        decoder.feed(text: "e")
        #expect(throws: VarlinkError.tooLong(maximum: 4)) { try decoder.nextFrame() }
    }

    @Test func theMaximumIs64KiB() throws {
        var decoder = FrameDecoder()
        decoder.feed([UInt8](repeating: 0x20, count: 65_536).span)
        #expect(try decoder.nextFrame() == nil)
        decoder.feed([0x20].span)
        #expect(throws: VarlinkError.tooLong(maximum: 65_536)) { try decoder.nextFrame() }
    }
}
