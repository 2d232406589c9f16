// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

/// Values decoded from the bytes of an IIO buffer.
struct ScanLayoutTests {
    private func layout(_ types: [String], wanted: [Int]) throws -> ScanLayout {
        ScanLayout(try types.map { try #require(ScanElement($0), "\($0)") }, wanted: wanted)
    }

    @Test(arguments: [
        ("le:s16/32>>0", [0x00, 0x80, 0xAA, 0xAA] as [UInt8], -32_768.0),
        ("le:s12/16>>4", [0xF0, 0xFF], -1),
        ("le:s12/16>>4", [0x1F, 0x00], 1),
        ("be:s12/16>>4", [0x80, 0x00], -2_048),
        ("be:u16/16>>0", [0x80, 0x01], 32_769),
        ("le:u8/8", [0xFF], 255),
        ("le:s64/64>>0", [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], -2),
        ("be:s24/32>>8", [0xFF, 0xFF, 0xFE, 0x77], -2),
    ])
    func valueIsDecodedByItsType(_ type: String, _ bytes: [UInt8], _ value: Double) throws {
        #expect(try layout([type], wanted: [0]).last(of: bytes) == [value])
    }

    @Test(arguments: [
        "", "le", "le:", "xe:s16/16>>0", "le:x16/16>>0", "le:s16", "le:s16/24>>0", "le:s0/16>>0", "le:s17/16>>0",
        "le:s16/16>>1", "le:s16/16>>-1", "le:s16/16>0", "le:s16/16>>", "le:s-4/16>>0", "le:s16/16X3>>0",
        "le:s16/99999999999999999999>>0",
    ])
    func invalidTypeIsRefused(_ text: String) {
        #expect(ScanElement(text) == nil)
    }

    @Test func channelsAreAlignedToTheirOwnSize() throws {
        let types = ["le:s16/16>>0", "le:s16/16>>0", "le:s16/16>>0", "le:s64/64>>0"]
        let layout = try layout(types, wanted: [2, 0])
        #expect(layout.bytes == 16)
        #expect(layout.last(of: [1, 0, 2, 0, 3, 0, 0, 0] + Array(repeating: 0, count: 8)) == [3, 1])
    }

    @Test func lastWholeScanIsUsed() throws {
        let layout = try layout(["le:s16/16>>0"], wanted: [0])
        #expect(layout.last(of: [1, 0, 2, 0, 3]) == [2])
        #expect(layout.last(of: [1]) == nil)
        #expect(layout.last(of: []) == nil)
    }
}
