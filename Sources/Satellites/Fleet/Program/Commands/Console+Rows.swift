// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole

extension Console {
    /// Prints rows as a table; the last column may be truncated.
    static func table<Row>(_ columns: [(head: String, cell: @Sendable (Row) -> String)], _ rows: [Row]) throws {
        let table = Table(
            columns: columns.map { Table.Column(head: $0.head, isFixed: $0.head != columns.last?.head) },
            rows: rows.map { row in columns.map { Table.Cell($0.cell(row)) } })
        for text in table.lines(width: Console.columns) { try line(text) }
    }
}
