// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleCore

/// The cells of the rows of `reveille top`, in the order of ``TopColumns``.
enum TopTables {
    /// Returns the cells of an aspect, with a line of changes whose width is in characters.
    static func cells(_ row: AspectRow, at now: Timestamp, line: Int) -> [Table.Cell] {
        guard row.hasValue else {
            return [Table.Cell(row.id.shownName, .dim), Table.Cell(row.value, .dim)]
                + ["-", "-", "", "-"].map { Table.Cell($0, .dim) }
        }
        return [
            Table.Cell(row.id.shownName, .bold),
            Table.Cell(row.value),
            Table.Cell(row.last.map { TopText.age(of: $0.changedAt, at: now) } ?? "-"),
            Table.Cell(TopText.rate(row.rate), row.rate ?? 0 > 0 ? .green : nil),
            Table.Cell(Spark.line(ChangeLine.heights(of: row.changes), columns: line), .cyan),
            Table.Cell(source(of: row.source), row.source.isWatched ? nil : .dim),
        ]
    }

    static func cells(_ row: SubscriberRow) -> [Table.Cell] {
        [
            Table.Cell(row.name, .bold),
            Table.Cell("\(row.subscriber.processID)"),
            Table.Cell(row.command ?? "-"),
            StatusTables.state(of: row.subscriber),
            Table.Cell(StatusTables.pending(of: row.subscriber), row.waiting > 0 ? .yellow : nil),
            Table.Cell(TopText.rate(row.rates?.events), row.rates?.events ?? 0 > 0 ? .green : nil),
            Table.Cell(TopText.rate(row.rates?.changes)),
            Table.Cell(StatusTables.aspects(of: row.subscriber)),
        ]
    }

    /// Returns a line about a subscription: why it is held, what waits, and its tasks.
    static func detail(of row: SubscriberRow) -> String {
        let subscriber = row.subscriber
        var parts: [String] = []
        let reasons: [(HoldReasons, String)] = [
            (.app, "its own process is in the background"), (.operator, "an operator sent it to the background"),
            (.frozen, "its process is frozen"), (.unread, "it has not read its last event"),
            (.unknown, "a reason that this version does not know"),
        ]
        let held = reasons.filter { subscriber.holds.contains($0.0) }.map(\.1)
        parts.append(held.isEmpty ? "receives every change" : "held: " + held.joined(separator: ", "))
        if row.waiting > 0 { parts.append("waiting: " + StatusTables.pending(of: subscriber)) }
        if !subscriber.tasks.isEmpty {
            parts.append("tasks: " + subscriber.tasks.map(\.name).joined(separator: ", "))
        }
        parts.append("user \(subscriber.userID), subscription \(subscriber.id)")
        return "\(row.name): " + parts.joined(separator: "; ")
    }

    static func detail(of row: AspectRow) -> String {
        "\(row.id): \(row.value)" + (row.hasValue ? "; source: \(source(of: row.source))" : "")
    }

    static func aspects(of model: TopModel, line: Int) -> Table {
        let now = model.poll?.time ?? Timestamp(microseconds: 0)
        return table(.aspects, model.aspects.rows.map { cells($0, at: now, line: line) })
    }

    static func subscriptions(of model: TopModel) -> Table {
        table(.subscriptions, model.subscriptions.rows.map { cells($0) })
    }

    private static func table(_ columns: TopColumns, _ rows: [[Table.Cell]]) -> Table {
        Table(columns: columns.columns.map { Table.Column(head: $0.head, isFixed: $0.most == $0.least) }, rows: rows)
    }

    private static func source(of source: AspectInfo) -> String {
        source.isAvailable && !source.isWatched && !source.aspect.isPublished
            ? "not watched: \(source.source)" : source.source
    }
}

enum TopText {
    /// Returns the time since a change in its largest unit: `now`, `59 s`, `47 h`.
    ///
    /// A time in the future, after the clock was set, is `now`.
    static func age(of change: Timestamp, at now: Timestamp) -> String {
        let (microseconds, isTooLong) = now.microseconds.subtractingReportingOverflow(change.microseconds)
        guard !isTooLong else { return "-" }
        return Age.text(microseconds / 1_000_000)
    }

    /// Returns a number of events or changes a second: `-` if it is not known yet, `0`, `0.5`, `12`, `13k`.
    static func rate(_ rate: Double?) -> String {
        guard let rate, rate.isFinite else { return "-" }
        switch rate {
        case ...0: return "0"
        case ..<0.05: return "<0.1"
        case ..<9.95: return "\((rate * 10).rounded() / 10)"
        case ..<9_999.5: return "\(Int(rate.rounded()))"
        case ..<9_999_500: return "\(Int((rate / 1_000).rounded()))k"
        default: return ">9999k"
        }
    }
}
