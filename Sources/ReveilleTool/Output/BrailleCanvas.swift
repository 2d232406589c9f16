// SPDX-License-Identifier: Apache-2.0

/// A drawing of dots in braille characters, each of which has two dots in a row and four in a column.
struct BrailleCanvas: Hashable, Sendable {
    /// The number of dots of one character.
    static let dots = (across: 2, down: 4)
    private static let blank: UInt32 = 0x2800
    /// The bit of each dot in the code of its character, by its column and by its row from the top.
    private static let bits: [[UInt8]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]

    /// The width and the height in characters.
    let columns, rows: Int
    private var cells: [UInt8]

    init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
        cells = [UInt8](repeating: 0, count: self.columns * self.rows)
    }

    /// Draws the dot at a distance in dots from the left and the bottom edge; dots outside the drawing are ignored.
    mutating func set(_ x: Int, _ y: Int) {
        let line = rows * Self.dots.down - 1 - y
        guard 0..<columns * Self.dots.across ~= x, 0..<rows * Self.dots.down ~= line else { return }
        let cell = line / Self.dots.down * columns + x / Self.dots.across
        cells[cell] |= Self.bits[x % Self.dots.across][line % Self.dots.down]
    }

    /// Returns the height of a number in dots, from 0 for the lowest number to a given height for the highest.
    static func height(of value: Double, from low: Double, to high: Double, top: Int) -> Int {
        // Halved, since the difference of two finite numbers may be infinite.
        let span = high / 2 - low / 2
        return span > 0 ? Int(((value / 2 - low / 2) / span * Double(top)).rounded()) : 0
    }

    /// The lines from the top, each with `columns` characters.
    var lines: [String] {
        (0..<rows).map { row in
            cells[row * columns..<(row + 1) * columns].reduce(into: "") { line, cell in
                // Some fonts draw circles for the dots of the blank character.
                line.unicodeScalars.append(cell == 0 ? " " : Unicode.Scalar(Self.blank + UInt32(cell)) ?? " ")
            }
        }
    }
}

/// Numbers as a line of bars in braille.
enum Spark {
    /// Returns one bar for each of the last numbers, two in a column, with the newest at the right edge.
    ///
    /// The lowest number has a bar of one dot, and the highest a bar of four. Equal numbers all have one dot. `nil` and
    /// NaN leave a gap.
    static func line(_ values: some BidirectionalCollection<Double?>, columns: Int) -> String {
        var canvas = BrailleCanvas(columns: columns, rows: 1)
        let room = canvas.columns * BrailleCanvas.dots.across
        let shown = values.suffix(room).map { $0.flatMap { $0.isFinite ? $0 : nil } }
        let numbers = shown.compactMap(\.self)
        guard let least = numbers.min(), let most = numbers.max() else { return canvas.lines.first ?? "" }
        for (index, value) in shown.enumerated() {
            guard let value else { continue }
            let height = BrailleCanvas.height(of: value, from: least, to: most, top: BrailleCanvas.dots.down - 1)
            for y in 0...height { canvas.set(room - shown.count + index, y) }
        }
        return canvas.lines.first ?? ""
    }
}
