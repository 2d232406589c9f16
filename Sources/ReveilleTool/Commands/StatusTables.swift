// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole

enum StatusTables {
    /// The number of published names that are shown; a screen has room for them beside the other tables.
    private static let shownNames = 20
    /// The number of names that one cell shows; the others are counted.
    private static let shownInCell = 8
    /// The length of a list of pending changes from which the bus may have left out aspects (Protocol.md, limits).
    private static let leastComplete = 32

    static func sources(_ sources: [AspectInfo]) -> Table {
        Table(
            columns: ["ASPECT", "STATE", .loose("SOURCE")],
            rows: sources.map { source in
                let state =
                    source.isAvailable
                    ? (source.isWatched ? Table.Cell("watched", .green) : Table.Cell("not watched"))
                    : Table.Cell("unavailable", .dim)
                return [Table.Cell(source.aspect.name, .bold), state, Table.Cell(source.source)]
            })
    }

    /// Returns the table of the first names, with published names before others, and the number of further names.
    static func names(_ sources: [AspectInfo]) -> (table: Table, further: Int) {
        let ordered = sources.filter(\.isAvailable) + sources.filter { !$0.isAvailable }
        let rows = ordered.prefix(shownNames).map { source in
            [Table.Cell(source.aspect.name, .bold), Table.Cell(source.source, source.isAvailable ? nil : .dim)]
        }
        return (Table(columns: [.loose("NAME"), .loose("SOURCE")], rows: rows), max(0, sources.count - shownNames))
    }

    static func subscribers(_ subscribers: [SubscriptionInfo]) -> Table {
        let hasTasks = subscribers.contains { !$0.tasks.isEmpty }
        let columns: [Table.Column] = [
            "SUBSCRIPTION", .loose("NAME"), "PID", .loose("STATE"), "EVENTS", "CHANGES", .loose("PENDING"),
            .loose("ASPECTS"),
        ]
        let rows = subscribers.map { subscriber in
            let row = [
                Table.Cell(subscriber.id), Table.Cell(subscriber.name ?? "-", .bold),
                Table.Cell("\(subscriber.processID)"), state(of: subscriber), Table.Cell("\(subscriber.eventCount)"),
                Table.Cell("\(subscriber.changeCount)"), Table.Cell(pending(of: subscriber)),
                Table.Cell(aspects(of: subscriber)),
            ]
            return row + (hasTasks ? [Table.Cell(list(subscriber.tasks.map(text), separator: ", "))] : [])
        }
        return Table(columns: columns + (hasTasks ? [.loose("TASKS")] : []), rows: rows)
    }

    static func pending(of subscriber: SubscriptionInfo) -> String {
        let pending = Dictionary(subscriber.pending.map { (listed($0.key), $0.value) }, uniquingKeysWith: +)
            .sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return pending.isEmpty ? "-" : list(pending, separator: ", ", isWhole: pending.count < leastComplete)
    }

    static func aspects(of subscriber: SubscriptionInfo) -> String {
        let names = subscriber.aspectSet.aspects.map(listed)
        return list(names.indices.filter { !names[..<$0].contains(names[$0]) }.map { names[$0] }, separator: " ")
    }

    /// Returns the name of an aspect in a list, in which all names of rules and the schedule are one.
    private static func listed(_ aspect: Aspect) -> String { aspect.isOwn ? "schedule" : aspect.name }

    private static func text(_ task: SubscriptionInfo.Task) -> String {
        // Rounded down: a task never has more time than shown.
        task.name + (task.remaining.map { " \($0.components.seconds) s" } ?? "")
    }

    /// Returns the state of a subscription: why it is held, and its lifecycle if that adds something.
    static func state(of subscriber: SubscriptionInfo) -> Table.Cell {
        let names = subscriber.holds.names.joined(separator: " ")
        let held = names.isEmpty ? "" : "held: \(names)"
        return switch subscriber.lifecycle {
        case .inactive where held.isEmpty: Table.Cell("inactive", .green)
        case .suspended, .terminating: Table.Cell("\(subscriber.lifecycle?.rawValue ?? ""), \(held)", .yellow)
        default: held.isEmpty ? Table.Cell("foreground", .green) : Table.Cell(held, .yellow)
        }
    }

    static func list(_ items: [String], separator: String, isWhole: Bool = true) -> String {
        let further = items.count - shownInCell
        return items.prefix(shownInCell).joined(separator: separator)
            + (further > 0 ? " and \(isWhole ? "" : "at least ")\(further) more" : "")
    }
}
