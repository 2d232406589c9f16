// SPDX-License-Identifier: Apache-2.0

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
