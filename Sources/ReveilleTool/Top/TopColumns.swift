// SPDX-License-Identifier: Apache-2.0

/// The columns of one list of `reveille top`; their widths depend on the width of the screen alone.
///
/// Columns as wide as their contents, as in a ``Table``, would move whenever a value changes.
struct TopColumns: Sendable {
    struct Column: Sendable {
        var head: String
        /// The width that the contents need at least to be recognized.
        var least: Int
        /// The width for which less important columns are left out; not below ``least``.
        var good: Int
        /// The width beyond which more room would not show more.
        var most: Int
        /// The order in which columns are left out of a narrow screen, the highest first; `nil` for never.
        var rank: Int?
        var alignsRight = false
    }

    struct Place: Hashable, Sendable {
        var index: Int
        var start: Int
        var width: Int
    }

    /// The width of the widest line of changes: a longer line is harder to read than `reveille log`.
    static let widestLine = 60
    private static let gap = 2

    let columns: [Column]

    /// Returns the columns that fit into a width beside a free margin at the left, with their places.
    func places(in width: Int, margin: Int) -> [Place] {
        var shown = columns.indices.map { Place(index: $0, start: 0, width: columns[$0].good) }
        func spare() -> Int {
            width - margin - shown.reduce(0) { $0 + $1.width } - Self.gap * max(0, shown.count - 1)
        }
        func rank(_ index: Int) -> Int { columns[shown[index].index].rank ?? -1 }
        while spare() < 0, let last = shown.indices.max(by: { rank($0) < rank($1) }), rank(last) >= 0 {
            shown.remove(at: last)
        }
        if spare() < 0 {
            for index in shown.indices { shown[index].width = columns[shown[index].index].least }
        }
        // The remaining room goes, one by one, to the column with the smallest part of its greatest width.
        for _ in 0..<max(0, spare()) {
            func part(_ index: Int) -> Double { Double(shown[index].width) / Double(columns[shown[index].index].most) }
            let growing = shown.indices.filter { part($0) < 1 }
            guard let next = growing.min(by: { part($0) < part($1) }) else { break }
            shown[next].width += 1
        }
        var start = margin
        for index in shown.indices {
            shown[index].start = start
            start += shown[index].width + Self.gap
        }
        return shown
    }

    static let aspects = TopColumns(columns: [
        Column(head: "ASPECT", least: 11, good: 11, most: 90),
        Column(head: "VALUE", least: 13, good: 22, most: 90),
        Column(head: "AGE", least: 6, good: 6, most: 6, rank: 1, alignsRight: true),
        Column(head: "CHANGES/S", least: 9, good: 9, most: 9, rank: 3, alignsRight: true),
        Column(head: "LAST CHANGES", least: 12, good: 12, most: widestLine, rank: 2, alignsRight: true),
        Column(head: "SOURCE", least: 16, good: 44, most: 60, rank: 4),
    ])

    static let subscriptions = TopColumns(columns: [
        Column(head: "SUBSCRIBER", least: 10, good: 11, most: 60),
        Column(head: "PID", least: 7, good: 7, most: 7, rank: 2, alignsRight: true),
        Column(head: "COMMAND", least: 14, good: 20, most: 50, rank: 4),
        Column(head: "STATE", least: 14, good: 14, most: 34),
        Column(head: "WAITING", least: 14, good: 14, most: 70, rank: 1),
        Column(head: "EVENTS/S", least: 8, good: 8, most: 8, rank: 3, alignsRight: true),
        Column(head: "CHANGES/S", least: 9, good: 9, most: 9, rank: 5, alignsRight: true),
        Column(head: "ASPECTS", least: 16, good: 30, most: 60, rank: 6),
    ])
}
