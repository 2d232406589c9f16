// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

struct AspectRow: Identifiable, Sendable {
    var source: AspectSource
    /// The last change, or the state before the first one; `nil` if neither is known.
    var last: Event?
    var changes: [Event]
    /// The number of changes a second; `nil` if it is not known yet.
    var rate: Double?

    var id: Aspect { source.aspect }

    /// Whether the aspect has a source, or had a value without one, such as a posted state.
    var hasValue: Bool { source.isAvailable || last.map { $0.changes > 0 } == true }

    /// The value, or the reason why there is none.
    var value: String {
        guard hasValue else { return source.text }
        return last.map { EventText.state(of: $0) } ?? "-"
    }
}

struct SubscriberRow: Identifiable, Sendable {
    var subscriber: Subscriber
    var command: String?
    /// The delivered events a second, and the changes in these events; `nil` if not known yet.
    var rates: (events: Double, changes: Double)?

    var id: String { subscriber.id }
    var name: String { subscriber.name ?? subscriber.id }
    var waiting: Int { subscriber.pending.values.reduce(0) { $0.addingReportingOverflow($1).partialValue } }
}

/// An order of a list's rows.
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
