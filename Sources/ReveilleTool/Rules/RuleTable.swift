// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleWire

/// The rules of a file as `reveille rules --list` shows them.
enum RuleTable {
    /// Prints a row for each line; without a bus, the conditions and times are unknown.
    static func print(_ file: RulesFile.Contents, _ stateFile: CommandState, _ bus: BusOptions) throws {
        let stored = try stateFile.read(\RulesState.isValid) ?? RulesState()
        try AwaitedTask.awaiting {
            let nows = try await nows(of: file.rules, bus)
            let rules = zip(file.rules, nows).map { rule, now in
                (rule.number, row(rule, now, stored.rules.first { $0.rule == rule.text }))
            }
            let wrong = file.errors.map { error in
                (error.number, ["\(error.number)", "wrong", "-", "-", error.reason].map { Table.Cell($0, .yellow) })
            }
            let rows = (rules + wrong).sorted { $0.0 < $1.0 }.map(\.1)
            try Table(columns: ["LINE", "NOW", "LAST RUN", "EXIT", .loose("RULE")], rows: rows).print()
        }
    }

    private static func nows(of rules: [Rule], _ bus: BusOptions) async throws -> [String] {
        do {
            let device = try await bus.device()
            let listings = try await device.listings
            var states: [Aspect: Event] = [:]
            for rule in rules where states[rule.aspect] == nil {
                states[rule.aspect] = try await device.event(of: rule.aspect)
            }
            return rules.map { now($0, states[$0.aspect], listings) }
        } catch let error as ReveilleError {
            guard error.code == .noBus else { throw error }
            Console.error("reveille: \(error); the states of the rules are not known")
            return rules.map { _ in "-" }
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
