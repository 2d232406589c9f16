// SPDX-License-Identifier: Apache-2.0

struct TopLayout: Hashable, Sendable {
    /// The smallest screen that shows a list: the name and the state of one subscription, with the lines around it.
    static let leastColumns = 28
    static let leastRows = 4
    /// The height from which the selected row has a line of its own.
    private static let rowsForDetail = 8
    /// The height from which the selected row has two lines of its own.
    private static let rowsForLongDetail = 20
    /// The height from which both lists are shown, each with a head and two rows.
    private static let rowsForBoth = 6
    /// The height of the lists from which a blank line separates them.
    private static let rowsForGap = 12

    /// The rows of the aspects, below their head; empty if they are not shown.
    var aspects: Range<Int>
    /// The rows of the subscriptions, below their head; empty if they are not shown.
    var subscriptions: Range<Int>
    /// The rows about the selected row.
    var detail: Range<Int>
    /// The last row, with the keys or a message.
    var bottom: Int

    init(rows: Int, aspects: Int, subscriptions: Int, focus: TopModel.Pane) {
        bottom = max(0, rows - 1)
        let height = rows < Self.rowsForDetail ? 0 : rows < Self.rowsForLongDetail ? 1 : 2
        detail = max(0, bottom - height)..<bottom
        let end = detail.lowerBound
        let body = max(0, end - 1)
        guard body >= Self.rowsForBoth else {
            let only = 2..<max(2, end)
            self.aspects = focus == .aspects ? only : 0..<0
            self.subscriptions = focus == .subscriptions ? only : 0..<0
            return
        }
        let gap = body >= Self.rowsForGap ? 1 : 0
        let room = body - 2 - gap
        let (wanted, others) = (max(1, aspects), max(1, subscriptions))
        // A list that needs less than half of the room leaves the rest to the other list.
        let first = wanted + others <= room ? wanted : min(wanted, max(room / 2, room - others))
        self.aspects = 2..<2 + first
        self.subscriptions = 2 + first + gap + 1..<end
    }
}

extension TopModel {
    var layout: TopLayout {
        TopLayout(
            rows: size.rows, aspects: aspects.rows.count, subscriptions: subscriptions.rows.count, focus: focus)
    }
}
