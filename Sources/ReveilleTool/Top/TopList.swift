// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

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
        // Stable, so that equal rows do not move with each poll.
        rows.sort(by: orders[orderIndex].precedes)
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

struct AspectRow: Identifiable, Sendable {
    var source: AspectInfo
    /// The last change, or the state before the first one; `nil` if neither is known.
    var last: Event?
    var changes: [Event]
    /// The number of changes a second; `nil` if it is not known yet.
    var rate: Double?

    var id: Aspect { source.aspect }

    /// Whether the aspect has a source, or had a value without one, such as a posted state.
    var hasValue: Bool { source.isAvailable || last.map { $0.changeCount > 0 } == true }

    /// The value, or the reason why there is none.
    var value: String {
        guard hasValue else { return source.source }
        return last.map { EventText.state(of: $0) } ?? "-"
    }
}

struct SubscriberRow: Identifiable, Sendable {
    var subscriber: SubscriptionInfo
    var command: String?
    /// The delivered events a second, and the changes in these events; `nil` if not known yet.
    var rates: (events: Double, changes: Double)?

    var id: String { subscriber.id }
    var name: String { subscriber.name ?? subscriber.id }
    var waiting: Int { subscriber.pending.values.reduce(0) { $0.addingReportingOverflow($1).partialValue } }
}

struct TopOrder<Row>: Sendable {
    /// The head of the column; empty for an order without a column.
    var head: String
    var precedes: @Sendable (Row, Row) -> Bool
}

extension TopOrder<AspectRow> {
    /// The orders of the aspects; the first order puts aspects without a source at the end.
    static let all = [
        TopOrder(head: "") { one, other in
            one.hasValue != other.hasValue ? one.hasValue : one.id < other.id
        },
        TopOrder(head: "ASPECT") { $0.id.name < $1.id.name },
        TopOrder(head: "AGE") { $0.last?.changedAt.microseconds ?? .min > $1.last?.changedAt.microseconds ?? .min },
        TopOrder(head: "CHANGES/S") { $0.rate ?? -1 > $1.rate ?? -1 },
    ]
}

extension TopOrder<SubscriberRow> {
    /// The orders of the subscriptions, which the bus lists in any order.
    static let all = [
        TopOrder(head: "PID") { ($0.subscriber.processID, $0.id) < ($1.subscriber.processID, $1.id) },
        TopOrder(head: "SUBSCRIBER") { $0.name < $1.name },
        TopOrder(head: "STATE") { $0.subscriber.holds.rawValue > $1.subscriber.holds.rawValue },
        TopOrder(head: "WAITING") { $0.waiting > $1.waiting },
        TopOrder(head: "EVENTS/S") { $0.rates?.events ?? -1 > $1.rates?.events ?? -1 },
    ]
}
