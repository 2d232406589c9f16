// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleCore
import ReveilleWire

enum ScheduleTable {
    static func table(_ entries: [ScheduleListing], now: Timestamp) -> Table {
        Table(
            columns: ["ID", .loose("NAME"), "NEXT", "ZONE", "WAKES", "FIRED", .loose("COMMAND")],
            rows: entries.map { listing in
                let entry = listing.entry
                let next = listing.next.map { Timestamp(microseconds: $0) }
                let rule = entry.aspect.rule(in: entry.value)
                return [
                    rule == nil ? Table.Cell(entry.id, .bold) : Table.Cell("a rule"),
                    Table.Cell(entry.aspect.isOwn ? "-" : entry.aspect.name), Table.Cell(moment(next, now: now)),
                    Table.Cell(entry.slotZone ?? "-"), Table.Cell(entry.wake == true ? "yes" : "-"),
                    Table.Cell("\(listing.fired)"),
                    Table.Cell(
                        rule ?? entry.launch.map { OwnName.unwrap($0).map(quoted).joined(separator: " ") } ?? "-"),
                ]
            })
    }

    /// Returns a word as a shell needs it.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { Self.plain.contains($0) }
        return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }

    /// The bytes without a meaning for a shell.
    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,".utf8)

    /// Returns a time in words and as a date: `in 5 min, 2026-11-21 14:03:22`.
    static func moment(_ time: Timestamp?, now: Timestamp) -> String {
        guard let time else { return "never" }
        return "\(distance(time.microseconds - now.microseconds)), \(LocalTime.date(time)) \(LocalTime.time(time))"
    }

    /// Returns a time to come in its largest units, rounded: five minutes remain so while they are printed.
    static func distance(_ microseconds: Int64) -> String {
        let seconds = (microseconds + 500_000) / 1_000_000
        let minutes = (seconds + 30) / 60
        let day: Int64 = 24 * 60
        if seconds < 60 { return seconds > 0 ? "in \(seconds) s" : "now" }
        return switch minutes {
        case ..<60: "in \(minutes) min"
        case ..<day: "in \(minutes / 60) h \(minutes % 60) min"
        case ..<(2 * day): "in 1 day"
        default: "in \(minutes / day) days"
        }
    }
}
