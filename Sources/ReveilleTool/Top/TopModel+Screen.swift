// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleCore
import ReveilleSystem

extension TopModel {
    /// The columns at the left edge that mark the selected row, for terminals without styles.
    private static let margin = 2

    /// The greatest height of a message, which covers the rows above the last one.
    private static let messageRows = 4

    /// Draws the screen, scrolled to the selected rows.
    mutating func draw() -> Screen {
        var screen = Screen(columns: size.columns, rows: size.rows)
        guard size.columns >= TopLayout.leastColumns, size.rows >= TopLayout.leastRows else {
            let texts = ["too small", "needs", "\(TopLayout.leastColumns) x \(TopLayout.leastRows)"]
            for (row, text) in texts.enumerated() { screen.put(text, row: row, column: 0) }
            return screen
        }
        if showsHelp {
            TopHelp.draw(on: &screen)
            return screen
        }
        let layout = layout
        drawTitle(on: &screen)
        if !layout.aspects.isEmpty { drawAspects(layout.aspects, on: &screen) }
        if !layout.subscriptions.isEmpty { drawSubscriptions(layout.subscriptions, on: &screen) }
        drawDetail(layout.detail, on: &screen)
        drawBottom(layout.bottom, on: &screen)
        return screen
    }

    // MARK: - The lines around the lists

    private func drawTitle(on screen: inout Screen) {
        var column = screen.put("reveille top", row: 0, column: 0, style: .bold)
        if case .lost(let reason) = connection {
            screen.put("bus away: \(reason); reconnecting", row: 0, column: column + 3, style: .yellow)
            return
        }
        guard poll != nil else {
            screen.put("waiting for the bus at \(address)", row: 0, column: column + 3, style: .dim)
            return
        }
        for part in summary where column + 3 + part.printable.columns <= screen.columns {
            column = screen.put(part, row: 0, column: column + 3)
        }
    }

    private func drawDetail(_ rows: Range<Int>, on screen: inout Screen) {
        let text =
            focus == .aspects
            ? aspects.selected.map { TopTables.detail(of: $0) }
            : subscriptions.selected.map { TopTables.detail(of: $0) }
        // A single line is truncated with an ellipsis.
        let lines = rows.count > 1 ? TopHelp.wrap((text ?? "").printable, to: screen.columns) : [text ?? ""]
        for (row, line) in zip(rows, lines) { screen.put(line, row: row, column: 0, style: .dim) }
    }

    private func drawBottom(_ row: Int, on screen: inout Screen) {
        if isTyping {
            screen.put("filter: \(filter)_", row: row, column: 0, style: .bold)
            return
        }
        if let message {
            // An error ends with its reason, so a text that fits on the screen is never truncated.
            let lines = TopHelp.wrap(message.text, to: screen.columns)
            for (distance, line) in lines.prefix(Self.messageRows).reversed().enumerated() {
                screen.clear(row: row - distance)
                screen.put(line, row: row - distance, column: 0, style: message.isTrouble ? .yellow : .bold)
            }
            return
        }
        var column = 0
        if !filter.isEmpty {
            column = screen.put("filter: \(filter) (Esc clears it)", row: row, column: 0, style: .bold) + 2
        }
        for (key, meaning) in TopHelp.hints where column + key.columns + 1 + meaning.columns <= screen.columns {
            column = screen.put(key, row: row, column: column, style: .bold)
            column = screen.put(meaning, row: row, column: column + 1, style: .dim) + 2
        }
    }

    // MARK: - The lists

    private mutating func drawAspects(_ rows: Range<Int>, on screen: inout Screen) {
        aspects.scroll(height: rows.count)
        let places = TopColumns.aspects.places(in: size.columns, margin: Self.margin)
        let line = places.first { TopColumns.aspects.columns[$0.index].head == "LAST CHANGES" }?.width ?? 0
        let now = poll?.time ?? Timestamp(microseconds: 0)
        draw(aspects, .aspects, TopColumns.aspects, places, rows, on: &screen) {
            TopTables.cells($0, at: now, line: line)
        }
    }

    private mutating func drawSubscriptions(_ rows: Range<Int>, on screen: inout Screen) {
        subscriptions.scroll(height: rows.count)
        let places = TopColumns.subscriptions.places(in: size.columns, margin: Self.margin)
        draw(subscriptions, .subscriptions, TopColumns.subscriptions, places, rows, on: &screen) {
            TopTables.cells($0)
        }
    }

    private func draw<Row>(
        _ list: TopList<Row>, _ pane: Pane, _ columns: TopColumns, _ places: [TopColumns.Place], _ rows: Range<Int>,
        on screen: inout Screen, cells: (Row) -> [Table.Cell]
    ) {
        let head = rows.lowerBound - 1
        for place in places {
            let column = columns.columns[place.index]
            let mark = column.head == list.orderHead ? (list.isReversed ? "▴" : "▾") : ""
            Self.put(
                Table.Cell(column.head + mark, focus == pane ? .bold : .dim), place, column, head, on: &screen)
        }
        drawRange(of: list, rows, head, on: &screen)
        for (row, item) in zip(rows, list.rows[list.top...].prefix(rows.count)) {
            for (cell, place) in zip(places.map { cells(item)[$0.index] }, places) {
                Self.put(cell, place, columns.columns[place.index], row, on: &screen)
            }
            guard pane == focus, row - rows.lowerBound == list.selectedIndex - list.top else { continue }
            screen.put(">", row: row, column: 0)
            screen.paint(row: row, .reverse)
        }
        if list.rows.isEmpty, poll != nil {
            let none = pane == .aspects ? "no aspects" : "no subscriptions"
            screen.put(
                list.total == 0 ? none : "\(none) contain the filter's text", row: rows.lowerBound,
                column: Self.margin, style: .dim)
        }
    }

    /// If not all rows are visible, draws their range at the right edge, over the least important column.
    private func drawRange<Row>(of list: TopList<Row>, _ rows: Range<Int>, _ row: Int, on screen: inout Screen) {
        guard list.rows.count > rows.count else { return }
        let last = min(list.top + rows.count, list.rows.count)
        let text = "  \(list.top + 1)-\(last) of \(list.rows.count)"
        screen.put(text, row: row, column: max(0, screen.columns - text.columns), style: .dim)
    }

    private static func put(
        _ cell: Table.Cell, _ place: TopColumns.Place, _ column: TopColumns.Column, _ row: Int, on screen: inout Screen
    ) {
        let text = cell.text.truncated(to: place.width)
        let indent = column.alignsRight ? place.width - text.columns : 0
        screen.put(text, row: row, column: place.start + indent, width: place.width, style: cell.style)
    }
}
