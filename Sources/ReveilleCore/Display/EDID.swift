// SPDX-License-Identifier: Apache-2.0

/// The size and the preferred mode in a display's own description (VESA E-EDID, base block).
package struct EDID: Sendable, Hashable {
    /// The size of the base block in bytes; extensions follow it.
    private static let blockSize = 128
    private static let header: [UInt8] = [0, 255, 255, 255, 255, 255, 255, 0]
    private static let widthInCentimeters = 0x15
    private static let heightInCentimeters = 0x16
    /// The first descriptor, which has the preferred timing.
    private static let timing = 54
    /// Aspect ratios that some displays give in place of a size, and the factors by which they appear in millimeters.
    private static let ratios = [[16, 9], [16, 10]]
    private static let ratioUnits = [1, 10, 100]
    /// The shortest side of a display that describes itself, in millimeters; less comes from an empty description.
    private static let shortestSide = 25

    /// A visible area in millimeters, more than 0.
    package struct Size: Sendable, Hashable {
        package let width: Int
        package let height: Int
    }

    package let size: Size?
    /// The preferred mode; `nil` without one.
    package let mode: DisplayMode?

    /// Parses a description; `nil` if it is too short, is of another format or has a wrong checksum.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.blockSize, bytes.starts(with: Self.header),
            bytes.prefix(Self.blockSize).reduce(0, &+) == 0
        else { return nil }
        let at = { (offset: Int) in Int(bytes[Self.timing + offset]) }
        let rounded = Self.plausible(
            10 * Int(bytes[Self.widthInCentimeters]), 10 * Int(bytes[Self.heightInCentimeters]))
        // A descriptor without a pixel clock is not a timing.
        guard at(0) | at(1) != 0 else {
            mode = nil
            size = rounded
            return
        }
        let isInterlaced = at(17) & 0x80 != 0
        let lines = at(5) | (at(7) & 0xF0) << 4
        mode = DisplayMode(width: at(2) | (at(4) & 0xF0) << 4, height: isInterlaced ? 2 * lines : lines)
        size = Self.plausible(at(12) | (at(14) & 0xF0) << 4, at(13) | (at(14) & 0x0F) << 8) ?? rounded
    }

    private static func plausible(_ width: Int, _ height: Int) -> Size? {
        let sides = [max(width, height), min(width, height)]
        let isRatio = ratioUnits.contains { unit in ratios.contains { $0.map { $0 * unit } == sides } }
        return sides[1] >= shortestSide && !isRatio ? Size(width: width, height: height) : nil
    }
}

package struct DisplayMode: Sendable, Hashable {
    /// The most pixels in one direction: far more than any display has.
    private static let limit = 65_535

    /// The width in pixels.
    package let width: Int
    /// The height in pixels.
    package let height: Int

    /// Creates a mode; `nil` if it has no pixels.
    package init?(width: Int, height: Int) {
        guard 1...Self.limit ~= width, 1...Self.limit ~= height else { return nil }
        self.width = width
        self.height = height
    }

    /// Parses the preferred mode, which is the first line of a connector's `modes`: `1920x1080`, or `1920x1080i`.
    package init?(firstOf text: String) {
        let line = text.utf8.prefix { $0 != UInt8(ascii: "\n") }
        let sides = line.split(separator: UInt8(ascii: "x"), omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let numbers = sides.map { side in String(Substring(side.prefix(while: \.isDigit))) }
        let rest = sides[1].dropFirst(numbers[1].utf8.count)
        guard numbers[0].utf8.count == sides[0].count, rest.isEmpty || rest.elementsEqual("i".utf8),
            let width = Int(numbers[0]), let height = Int(numbers[1])
        else { return nil }
        self.init(width: width, height: height)
    }
}
