// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole

/// The state of `reveille top`, and its screen; a pure value.
struct TopModel: Sendable {
    enum Pane: Sendable { case aspects, subscriptions }

    enum Connection: Hashable, Sendable {
        case connecting
        case connected
        /// The bus is gone, for a reason.
        case lost(String)
    }

    /// The bottom line's remark about the last key or action.
    struct Message: Hashable, Sendable {
        var text: String
        var isTrouble = false
    }

    /// The totals of the bus a second; `nil` before the second poll.
    struct Totals: Hashable, Sendable {
        var changes: Double
        var events: Double
    }

    let address: String
    var size: (columns: Int, rows: Int)
    var focus = Pane.subscriptions
    var filter = ""
    /// Whether keys are added to the filter.
    var isTyping = false
    var showsHelp = false
    var message: Message?
    private(set) var connection = Connection.connecting
    private(set) var poll: TopPoll?
    private(set) var totals: Totals?
    var aspects = TopList(orders: TopOrder<AspectRow>.all)
    var subscriptions = TopList(orders: TopOrder<SubscriberRow>.all)
    private var allAspects: [AspectRow] = []
    private var allSubscribers: [SubscriberRow] = []

    init(address: String, size: (columns: Int, rows: Int) = (80, 24)) {
        self.address = address
        self.size = size
    }

    var request: TopPoll.Request {
        TopPoll.Request(
            before: poll,
            visible: Set(aspects.rows.dropFirst(aspects.top).prefix(size.rows).map(\.id)),
            visibleSubscriptions: Set(subscriptions.rows.dropFirst(subscriptions.top).prefix(size.rows).map(\.id)))
    }

    var heldCount: Int { allSubscribers.count { !$0.subscriber.holds.isEmpty } }

    /// The bus in a few words, the most important first.
    var summary: [String] {
        guard let poll else { return [] }
        let held = heldCount == 0 ? "" : ", \(heldCount) held"
        return [
            Count.text(poll.subscribers.count, "subscription") + held, "\(TopText.rate(totals?.changes)) changes/s",
            "\(TopText.rate(totals?.events)) events/s", LocalTime.time(poll.time), address,
        ]
    }

    mutating func receive(_ poll: TopPoll) {
        let before = self.poll
        self.poll = poll
        connection = .connected
        let seconds = Double(poll.clock - (before?.clock ?? poll.clock)) / 1_000_000
        let isContinued = seconds > 0 && before?.histories.instance == poll.histories.instance
        let earlier = isContinued ? before?.subscribers ?? [] : []
        let known = Dictionary(earlier.map { ($0.id, $0) }) { first, _ in first }
        allSubscribers = poll.subscribers.map { subscriber in
            let rates = known[subscriber.id].map { known in
                (
                    events: Double(max(0, subscriber.eventCount - known.eventCount)) / seconds,
                    changes: Double(max(0, subscriber.changeCount - known.changeCount)) / seconds
                )
            }
            return SubscriberRow(subscriber: subscriber, command: poll.commands[subscriber.id], rates: rates)
        }
        allAspects = poll.sources.filter { $0.aspect != .lifecycle }.map { source in
            let entry = poll.histories.entries[source.aspect]
            return AspectRow(
                source: source, last: poll.histories.last(of: source.aspect), changes: entry?.changes ?? [],
                rate: entry?.rate)
        }
        totals =
            isContinued
            ? Totals(
                changes: allAspects.reduce(0) { $0 + ($1.rate ?? 0) },
                events: allSubscribers.reduce(0) { $0 + ($1.rates?.events ?? 0) }) : nil
        applyFilter()
    }

    /// Notes that the bus is gone; its last answers stay on the screen.
    mutating func lose(_ reason: String) {
        connection = .lost(reason)
        totals = nil
    }

    mutating func applyFilter() {
        let text = filter.lowercased()
        aspects.show(allAspects) { row in
            text.isEmpty
                ? !row.id.isOwn
                : [row.id.name, row.source.source, row.value].contains { $0.lowercased().contains(text) }
        }
        subscriptions.show(allSubscribers) { row in
            text.isEmpty
                || ([row.id, row.name, "\(row.subscriber.processID)", row.command ?? ""] + row.subscriber.holds.names
                    + row.subscriber.aspectSet.aspects.map(\.name)).contains { $0.lowercased().contains(text) }
        }
    }
}
