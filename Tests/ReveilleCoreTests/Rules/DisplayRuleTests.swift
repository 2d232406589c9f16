// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore

@Suite struct DisplayRuleTests {
    /// Returns a description with a detailed timing of 1920 by 1080 pixels and a valid checksum.
    static func description(
        millimeters: (Int, Int) = (344, 194), centimeters: (UInt8, UInt8) = (34, 19),
        change: (inout [UInt8]) -> Void = { _ in }
    ) -> [UInt8] {
        var bytes: [UInt8] = [0, 255, 255, 255, 255, 255, 255, 0] + Array(repeating: 0, count: 120)
        (bytes[0x15], bytes[0x16]) = centimeters
        let sizes = [
            UInt8(millimeters.0 & 0xFF), UInt8(millimeters.1 & 0xFF),
            UInt8((millimeters.0 >> 8) << 4 | millimeters.1 >> 8),
        ]
        bytes.replaceSubrange(54..<62, with: [0x02, 0x3A, 0x80, 0x18, 0x71, 0x38, 0x2D, 0x40])
        bytes.replaceSubrange(66..<69, with: sizes)
        change(&bytes)
        bytes[127] = 0 &- bytes.dropLast().reduce(0, &+)
        return bytes
    }

    @Test func sizeAndModeAreThoseOfTheFirstTiming() {
        let description = EDID(Self.description())
        #expect(description?.size == EDID.Size(width: 344, height: 194))
        #expect(description?.mode == DisplayMode(width: 1_920, height: 1_080))
        #expect(EDID(Self.description() + Array(repeating: 7, count: 128)) == description)
    }

    @Test func interlacedModeHasTwoFields() {
        let bytes = Self.description { $0[71] = 0x80 }
        #expect(EDID(bytes)?.mode == DisplayMode(width: 1_920, height: 2_160))
    }

    @Test(
        "B168: a size of 0, or one that is really an aspect ratio, is unknown",
        arguments: [
            ((0, 0), (0, 0)), ((344, 0), (34, 0)), ((16, 9), (0, 0)), ((160, 90), (16, 9)), ((1_600, 900), (160, 90)),
            ((1_600, 1_000), (0, 0)), ((90, 160), (9, 16)), ((1, 1), (0, 0)), ((17, 22), (2, 2)),
        ]
            as [(
                (Int, Int), (UInt8, UInt8)
            )])
    func sizeMayBeUnknown(millimeters: (Int, Int), centimeters: (UInt8, UInt8)) {
        #expect(EDID(Self.description(millimeters: millimeters, centimeters: centimeters))?.size == nil)
        let screen = Display.Screen(name: "DP-1", width: 1_920, height: 1_080)
        #expect(screen.dotsPerInch == nil)
    }

    @Test func centimetersAreUsedWithoutMillimeters() {
        #expect(EDID(Self.description(millimeters: (0, 0)))?.size == EDID.Size(width: 340, height: 190))
        let withoutTiming = EDID(Self.description { ($0[54], $0[55]) = (0, 0) })
        #expect(withoutTiming?.mode == nil)
        #expect(withoutTiming?.size == EDID.Size(width: 340, height: 190))
    }

    @Test func impossibleMillimetersLeaveTheCentimeters() {
        let bytes = Self.description(millimeters: (1, 1), centimeters: (119, 34))
        #expect(EDID(bytes)?.size == EDID.Size(width: 1_190, height: 340))
    }

    @Test("a description that is cut at any byte, damaged or empty is refused") func damagedDescriptionIsRefused() {
        let bytes = Self.description()
        for length in 0..<128 { #expect(EDID(Array(bytes.prefix(length))) == nil) }
        for index in 0..<128 {
            var damaged = bytes
            damaged[index] ^= 0x40
            #expect(EDID(damaged) == nil, "at \(index)")
        }
    }

    @Test(
        arguments: [
            ("1920x1080\n1280x720\n", 1_920, 1_080), ("720x576i\n", 720, 576), ("1x1", 1, 1),
        ])
    func modeIsTheFirstOfTheList(text: String, width: Int, height: Int) {
        #expect(DisplayMode(firstOf: text) == DisplayMode(width: width, height: height))
        #expect(DisplayMode(firstOf: text) != nil)
    }

    @Test(
        arguments: [
            "", "\n", "x", "1920", "1920x", "x1080", "0x0", "-1x5", "1920x1080x3", "1920x1080p", " 1x1", "65536x1",
            "99999999999999999999x1", "١x١",
        ])
    func textThatIsNotAModeIsRefused(text: String) {
        #expect(DisplayMode(firstOf: text) == nil)
    }

    @Test(
        arguments: [
            ("41\n", "100", 0.41), ("0", "100", 0), ("100", "100", 1), ("nan", "100", nil), ("1", "0", nil),
            ("1", nil, nil),
            ("1", "-5", nil), (nil, "100", nil), ("101", "100", nil), ("-1", "100", nil), ("1e400", "100", nil),
        ] as [(String?, String?, Double?)])
    func brightnessIsAFractionOrUnknown(requested: String?, maximum: String?, expected: Double?) {
        #expect(DisplayRule.brightness(requested: requested, maximum: maximum) == expected)
    }

    @Test func backlightIsChosenByItsTypeAndThenByItsPanel() {
        let panel = DisplayConnector(name: "eDP-1", isConnected: true, mode: nil, description: nil)
        let closed = DisplayConnector(name: "eDP-2", isConnected: false, mode: nil, description: nil)
        let monitor = DisplayConnector(name: "DP-1", isConnected: true, mode: nil, description: nil)
        let best = DisplayRule.rank(ofType: "raw", below: panel)
        for other in [closed, monitor, nil] { #expect(best < DisplayRule.rank(ofType: "raw", below: other)) }
        #expect(DisplayRule.rank(ofType: "firmware", below: nil) < best)
        #expect(best < DisplayRule.rank(ofType: nil, below: panel))
    }

    @Test func connectedDisplaysWithAModeAreScreens() {
        let mode = DisplayMode(width: 800, height: 600)
        let connectors = [
            DisplayConnector(name: "HDMI-A-10", isConnected: true, mode: mode, description: nil),
            DisplayConnector(name: "HDMI-A-2", isConnected: true, mode: nil, description: EDID(Self.description())),
            DisplayConnector(name: "DP-1", isConnected: false, mode: mode, description: nil),
            DisplayConnector(name: "DP-2", isConnected: true, mode: nil, description: nil),
        ]
        let reading = DisplayRule.reading(of: connectors, brightness: nil, scale: 2)
        #expect(reading.screens.map(\.name) == ["HDMI-A-2", "HDMI-A-10"])
        #expect(reading.screens.map(\.width) == [1_920, 800])
        #expect(reading.screens.map(\.widthMM) == [344, nil])
        #expect(reading.screens.map(\.scale) == [2, 2])
    }

    @Test(arguments: [("card0-HDMI-A-1", "HDMI-A-1"), ("card0", nil), ("renderD128", nil), ("card1-", nil)])
    func connectorsAreNamedWithoutTheirCard(device: String, name: String?) {
        #expect(DisplayConnector.name(ofDevice: device) == name)
    }
}
