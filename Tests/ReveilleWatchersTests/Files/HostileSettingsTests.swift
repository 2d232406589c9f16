// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ReveilleCore
import Testing

@testable import ReveilleWatchers

@Suite(.timeLimit(.minutes(10))) struct HostileSettingsTests {
    private static func read(_ name: String, _ bytes: [UInt8]) throws -> SettingsFile? {
        try SettingsFile.read("/" + name, isFound: false, bytes)
    }

    private static func nested(_ open: String, _ close: String, _ levels: Int) -> String {
        String(repeating: open, count: levels) + String(repeating: close, count: levels)
    }

    @Test(arguments: [129, 1_000, 200_000])
    func deepNestingIsAnError(levels: Int) {
        let xml = "<?xml version=\"1.0\"?><plist>"
        let texts = [
            ("a.json", "{\"a\":" + Self.nested("[", "]", levels) + "}"),
            ("a.json", Self.nested("{\"a\":", "}", levels).replacing("{}", with: "{\"a\":1}")),
            ("a.plist", xml + Self.nested("<array>", "</array>", levels) + "</plist>"),
            ("a.plist", xml + Self.nested("<array >", "</array >", levels) + "</plist>"),
            ("a.plist", xml + String(repeating: "<dict><key>a</key>", count: levels)),
            ("a.plist", xml + String(repeating: "<array><!-- </array> -->", count: levels)),
            ("a.plist", xml + String(repeating: "<array><![CDATA[</array>]]>", count: levels)),
            ("a.plist", xml + String(repeating: "<array><?x </array> ?>", count: levels)),
            ("a.plist", xml + String(repeating: "<array><!DOCTYPE x [</array>]>", count: levels)),
            ("a.plist", "(" + Self.nested("(", ")", levels) + ")"),
        ]
        for (name, text) in texts {
            #expect(throws: FormatError.self, "\(text.prefix(60))") { try Self.read(name, Array(text.utf8)) }
        }
    }

    @Test func nestingUpToTheLimitIsRead() throws {
        let levels = SettingsValue.depthLimit - 1
        let json = "{\"a\":" + Self.nested("[", "]", levels) + "}"
        #expect(try Self.read("a.json", Array(json.utf8))?.values.count == 1)
        let list = Self.nested("<array>", "</array>", levels - 1)
        let xml = "<plist><dict><key>a</key>\(list)</dict></plist>"
        #expect(try Self.read("a.plist", Array(xml.utf8))?.values.count == 1)
        let wide = "<plist><array>\(Self.nested("<array/>", "", 1_000))</array></plist>"
        #expect(throws: Never.self) { try Self.read("a.plist", Array(wide.utf8)) }
    }

    @Test func manyTagsAreRejectedQuickly() {
        for text in ["/*", "[/*", "\"\\", ",", ",]"] {
            let bytes = Array(String(repeating: text, count: 200_000).utf8)
            #expect(throws: FormatError.self, "\(text)") { try Self.read("a.json", bytes) }
        }
        for text in ["<", "<array", "<!--", "<array<array/", "</array", "<![CDATA["] {
            let bytes = Array(("<plist>" + String(repeating: text, count: 200_000)).utf8)
            #expect(throws: FormatError.self, "\(text)") { try Self.read("a.plist", bytes) }
        }
    }

    /// Returns a binary property list of arrays that each refer several times to the next, and the last to the first or
    /// to nothing.
    private static func lists(_ count: Int, references: Int, isRing: Bool) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for index in 0..<count {
            offsets.append(UInt8(bytes.count))
            let isLast = index == count - 1
            let next = isLast ? 0 : UInt8(index + 1)
            let size = isLast && !isRing ? 0 : references
            bytes += [0xA0 | UInt8(size)] + Array(repeating: next, count: size)
        }
        let table = UInt8(bytes.count)
        return bytes + offsets + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, UInt8(count)]
            + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, table]
    }

    @Test func listThatContainsItselfIsAnError() {
        #expect(throws: FormatError.self) { try Self.read("a.plist", Self.lists(3, references: 1, isRing: true)) }
    }

    @Test func listOfBillionsIsAnError() {
        let bytes = Self.lists(24, references: 8, isRing: false)
        #expect(bytes.count < 300)
        #expect(throws: FormatError.self) { try Self.read("a.plist", bytes) }
    }

    @Test func wideTableIsReadInOnePass() throws {
        let names = (0..<20_000).map { "key\($0)" }
        let table = Dictionary(uniqueKeysWithValues: names.map { ($0, $0.count) })
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let file = try Self.read("a.plist", Array(try encoder.encode(table)))
        #expect(file?.values.count == names.count)
        #expect(file?.values["key7"] == SettingsValue.integer(4).fingerprint)
    }

    @Test func longStringWithManyReferencesIsAnError() {
        let text = Array(repeating: UInt8(ascii: "a"), count: 1 << 16)
        var bytes = Array("bplist00".utf8) + [0xAF, 0x11, 0x20, 0x00] + Array(repeating: 1, count: 0x2000)
        let second = bytes.count
        bytes += [0x5F, 0x12, 0x00, 0x01, 0x00, 0x00] + text
        let table = bytes.count
        bytes += [0, 0, 8, 0, UInt8(second >> 8), UInt8(second & 0xFF)]
        bytes += [0, 0, 0, 0, 0, 0, 3, 1] + [0, 0, 0, 0, 0, 0, 0, 2] + [0, 0, 0, 0, 0, 0, 0, 0]
        bytes += (0..<8).reversed().map { UInt8(table >> (8 * $0) & 0xFF) }
        #expect(throws: FormatError("more than 50000 values", isLimit: true)) { try Self.read("a.plist", bytes) }
    }

    @Test(arguments: [
        ([0xD1, 0, 0], "more than 128 levels"), ([0x5F, 0x13] + Array(repeating: 0xFF, count: 8), "invalid object 0"),
        ([0xA1, 9], "object 9 of 1"), ([0x51, 0xE9], "begins with the byte 81"),
        ([0x61, 0xD8, 0x00], "invalid object 0"),
        ([0x84], "invalid object 0"), ([0xF0], "begins with the byte 240"),
    ])
    func invalidBinaryListErrorHasItsPosition(object: [UInt8], reason: String) {
        let trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1] + Array(repeating: 0, count: 15)
        let bytes = Array("bplist00".utf8) + object + [8] + trailer + [UInt8(8 + object.count)]
        let problem = #expect(throws: FormatError.self) { try Self.read("a.plist", bytes) }
        #expect(problem?.reason.contains(reason) == true, "\(problem?.reason ?? "none")")
    }

    @Test func tooManyValuesAreAnError() {
        let json = "{\"a\":[" + String(repeating: "1,", count: SettingsValue.countLimit) + "1]}"
        #expect(throws: FormatError.self) { try Self.read("a.json", Array(json.utf8)) }
    }
}
