// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

package struct Table {
    /// A cell: its text, without control characters, and a style.
    package struct Cell {
        package var text: String
        package var style: Style?

        package init(_ text: String, _ style: Style? = nil) {
            self.text = text.printable
            self.style = style
        }
    }

    package struct Column: ExpressibleByStringLiteral {
        package var head: String
        package var isFixed: Bool

        package init(head: String, isFixed: Bool) {
            self.head = head
            self.isFixed = isFixed
        }

        package init(stringLiteral head: String) { self.init(head: head, isFixed: true) }

        package static func loose(_ head: String) -> Self { Self(head: head, isFixed: false) }
    }

    private static let gap = 2
    /// The minimum width of a truncated column: narrower cells are hard to tell apart.
    private static let narrowest = 5

    package let columns: [Column]
    package var rows: [[Cell]]

    package init(columns: [Column], rows: [[Cell]] = []) {
        self.columns = columns
        self.rows = rows
    }

    /// Returns the headings and the rows as lines of at most a width; without truncation if it is `nil`.
    package func lines(width: Int?) -> [StyledText] {
        let widths = widths(in: width)
        let heads = columns.map { Cell($0.head, .dim) }
        return ([heads] + rows).map { row in
            var line: StyledText = ""
            for (index, cell) in row.enumerated() {
                let left = (width ?? .max) - line.width
                let text = StyledText(cell.text.truncated(to: min(widths[index], left)))
                let cell = cell.style.map { $0(text) } ?? text
                let isLast = index + 1 == row.count
                line += isLast ? cell : cell.padded(to: min(widths[index] + Self.gap, left))
            }
            return line
        }
    }

    package func print() throws(Failure) {
        for line in lines(width: Console.columns) { try Console.line(line) }
    }

    private func widths(in width: Int?) -> [Int] {
        var widths = columns.indices.map { index in
            ([columns[index].head] + rows.map { $0[index].text }).map(\.columns).max() ?? 0
        }
        guard let width else { return widths }
        let loose = columns.indices.filter { !columns[$0].isFixed }
        while widths.reduce(0, +) + Self.gap * (columns.count - 1) > width,
            let widest = loose.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.narrowest
        {
            widths[widest] -= 1
        }
        return widths
    }
}
