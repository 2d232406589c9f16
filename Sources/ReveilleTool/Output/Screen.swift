// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleSystem

struct Screen: Hashable, Sendable {
    struct Cell: Hashable, Sendable {
        /// A character; empty for the second column of a wide one.
        var text = " "
        var style: Style?
    }

    /// The number of code points of one character that are drawn: more marks above a letter are unreadable, and a hostile
    /// name could make every frame as long as it likes.
    private static let scalarLimit = 8

    let columns, rows: Int
    private var cells: [Cell]

    init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
        cells = [Cell](repeating: Cell(), count: self.columns * self.rows)
    }

    subscript(row: Int, column: Int) -> Cell { cells[row * columns + column] }

    /// The text of a row without trailing spaces.
    func text(of row: Int) -> String {
        let line = cells[row * columns..<(row + 1) * columns]
        return line.prefix(line.lastIndex { $0.text != " " }.map { $0 + 1 - line.startIndex } ?? 0).map(\.text).joined()
    }

    /// Draws text, truncated with an ellipsis, over the existing contents, and returns the column after the text.
    ///
    /// Control characters are escaped. Text outside the screen is ignored. By default, it may reach the edge.
    @discardableResult
    mutating func put(_ text: String, row: Int, column: Int, width: Int? = nil, style: Style? = nil) -> Int {
        guard 0..<rows ~= row, 0..<columns ~= column else { return column }
        var column = column
        for character in text.printable.truncated(to: min(width ?? .max, columns - column)) {
            let width = character.columns
            // Invisible characters have no cell of their own.
            guard width > 0 else { continue }
            set(Cell(text: Self.drawn(character), style: style), row, column)
            if width == 2 { set(Cell(text: "", style: style), row, column + 1) }
            column += width
        }
        return column
    }

    mutating func clear(row: Int) {
        guard 0..<rows ~= row else { return }
        for column in 0..<columns { cells[row * columns + column] = Cell() }
    }

    mutating func paint(row: Int, _ style: Style) {
        guard 0..<rows ~= row else { return }
        for column in 0..<columns { cells[row * columns + column].style = style }
    }

    private static func drawn(_ character: Character) -> String {
        guard character.unicodeScalars.count > scalarLimit else { return String(character) }
        return String(String.UnicodeScalarView(character.unicodeScalars.prefix(scalarLimit)))
    }

    /// Replaces a cell, and the other half of a wide character that loses one.
    private mutating func set(_ cell: Cell, _ row: Int, _ column: Int) {
        let index = row * columns + column
        if cells[index].text.isEmpty, !cell.text.isEmpty { cells[index - 1].text = " " }
        if column + 1 < columns, cells[index + 1].text.isEmpty { cells[index + 1].text = " " }
        cells[index] = cell
    }
}

extension Screen {
    /// Returns the output that turns a terminal's screen into this one at once (synchronized output), empty for none.
    ///
    /// If the old screen is unknown or of another size, everything is drawn.
    func output(after old: Screen?, isColored: Bool) -> String {
        let old = old.flatMap { $0.columns == columns && $0.rows == rows ? $0 : nil }
        var output = old == nil ? "\u{1B}[0m\u{1B}[2J" : ""
        var style: Style?
        // Where the terminal's cursor is, if that is certain.
        var cursor: Int?
        for index in cells.indices {
            let cell = cells[index]
            let before = old.map { $0.cells[index] } ?? Cell()
            guard cell != before, !cell.text.isEmpty else { continue }
            if cursor != index || index % columns == 0 {
                output += "\u{1B}[\(index / columns + 1);\(index % columns + 1)H"
            }
            let wanted = cell.style.flatMap { isColored || !$0.isColor ? $0 : nil }
            if wanted != style {
                output += "\u{1B}[0" + (wanted.map { ";" + $0.rawValue } ?? "") + "m"
                style = wanted
            }
            output += cell.text
            cursor = Self.hasCertainWidth(cell.text) ? index + 1 : nil
        }
        if style != nil { output += "\u{1B}[0m" }
        return output.isEmpty ? "" : "\u{1B}[?2026h" + output + "\u{1B}[?2026l"
    }

    /// Whether all terminals agree that the character occupies one column: ASCII, the ellipsis, lines and braille.
    private static func hasCertainWidth(_ text: String) -> Bool {
        var scalars = text.unicodeScalars.makeIterator()
        guard let first = scalars.next()?.value, scalars.next() == nil else { return false }
        return first < 0x7F || first == 0x2026 || 0x2500...0x259F ~= first || 0x2800...0x28FF ~= first
    }
}
