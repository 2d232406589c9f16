// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleWire

/// The rules of a file as `reveille rules --list` shows them.
enum RuleTable {
    static func print(_ rules: [Rule], _ stateFile: CommandState, _ bus: BusOptions) throws {
        let stored = try stateFile.read(\RulesState.isValid) ?? RulesState()
        try AwaitedTask.awaiting {
            let device = try await bus.device()
            let listings = try await device.listings
            var states: [Aspect: Event] = [:]
            for rule in rules where states[rule.aspect] == nil {
                states[rule.aspect] = try await device.get(rule.aspect)
            }
            let rows = rules.map { rule in
                let now = now(rule, states[rule.aspect], listings)
                return row(rule, now, stored.rules.first { $0.rule == rule.text })
            }
            try Table(columns: ["LINE", "NOW", "LAST RUN", "EXIT", .loose("RULE")], rows: rows).print()
        }
    }

    /// Returns whether a condition is true, or when an entry fires next.
    private static func now(_ rule: Rule, _ state: Event?, _ listings: [ScheduleListing]) -> String {
        guard let entry = rule.entry else {
            return state.flatMap { rule.isTrue(after: $0) }.map { $0 ? "true" : "false" } ?? "-"
        }
        guard let listing = listings.first(where: { $0.entry.id == entry.id }) else { return "not scheduled" }
        return ScheduleTable.moment(listing.next.map { Timestamp(microseconds: $0) }, now: .now)
    }

    private static func row(_ rule: Rule, _ now: String, _ state: RuleState?) -> [Table.Cell] {
        let ran = state?.ranAt.map { Timestamp(microseconds: $0) }
        return [
            Table.Cell("\(rule.number)", .bold), Table.Cell(now),
            Table.Cell(ran.map { "\(LocalTime.date($0)) \(LocalTime.time($0))" } ?? "never"),
            Table.Cell(state?.exitCode.map { "\($0)" } ?? "-"), Table.Cell(rule.text),
        ]
    }
}
