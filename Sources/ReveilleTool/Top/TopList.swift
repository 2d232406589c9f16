// SPDX-License-Identifier: Apache-2.0

/// One list of `reveille top`: its rows in their order, and the selected one.
struct TopList<Row: Identifiable & Sendable>: Sendable where Row.ID: Sendable {
    let orders: [TopOrder<Row>]
    private(set) var orderIndex = 0
    private(set) var isReversed = false
    /// The rows that match the filter, in their order.
    private(set) var rows: [Row] = []
    /// The number of rows with and without the filter.
    private(set) var total = 0
    /// The index of the first visible row.
    private(set) var top = 0
    private(set) var selectedIndex = 0
    private var selectedID: Row.ID?

    init(orders: [TopOrder<Row>]) {
        self.orders = orders
    }

    /// The head of the column by which the rows are ordered.
    var orderHead: String { orders[orderIndex].head }

    var selected: Row? { rows.indices.contains(selectedIndex) ? rows[selectedIndex] : nil }

    /// Replaces the rows; the selected one stays selected, wherever it is now.
    mutating func show(_ all: [Row], matching isIncluded: (Row) -> Bool) {
        total = all.count
        rows = all.filter(isIncluded)
        sort()
    }

    mutating func chooseNextOrder() {
        orderIndex = (orderIndex + 1) % orders.count
        sort()
    }

    mutating func reverse() {
        isReversed.toggle()
        rows.reverse()
        find()
    }

    /// Selects the row at a distance from the selected one, or the last in that direction.
    mutating func move(by distance: Int) {
        let (index, isTooFar) = selectedIndex.addingReportingOverflow(distance)
        select(isTooFar ? (distance > 0 ? rows.count - 1 : 0) : index)
    }

    /// Scrolls so that the selected row is one of a number of visible rows.
    mutating func scroll(height: Int) {
        let height = max(1, height)
        top = min(max(top, selectedIndex - height + 1), selectedIndex)
        top = max(0, min(top, rows.count - height))
    }

    private mutating func sort() {
        let precedes = orders[orderIndex].precedes
        // Stable, so that equal rows do not move with each poll.
        rows = rows.enumerated()
            .sorted { one, other in
                if precedes(one.element, other.element) { return true }
                return !precedes(other.element, one.element) && one.offset < other.offset
            }
            .map(\.element)
        if isReversed { rows.reverse() }
        find()
    }

    private mutating func find() {
        select(selectedID.flatMap { id in rows.firstIndex { $0.id == id } } ?? selectedIndex)
    }

    private mutating func select(_ index: Int) {
        selectedIndex = max(0, min(index, rows.count - 1))
        selectedID = selected?.id
    }
}
