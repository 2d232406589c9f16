// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleWire

struct LogCommand: GuardedCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Print the latest changes.",
        discussion: """
            The bus keeps a log of changes, which outlasts it. Unwatched aspects can change unnoticed: sensors and \
            the battery are watched while a program subscribes to them, and always if its configuration says so \
            (watch). Lines say when an aspect was not watched and when the bus did not run; a message on stderr gives \
            the start of the log if it is later than the requested time. Printing changes delivers nothing to \
            subscribers. A pattern prints the changes of each matching name, published or withdrawn; a pattern \
            without matches is reported on stderr. The names of rules and of the schedule's entries are left out unless \
            they are named.

            Times are local and may have seconds. A time without a date is in the last 24 hours: at 09:00, 14:30 \
            means yesterday.

            EXAMPLES
              reveille log
              reveille log battery --since 2h --json
              reveille log --since '2026-11-21 14:30' --limit 20
            """)

    @Argument(
        help: "The aspects to print, published names or patterns such as org.example.*. Default: all.",
        completion: Aspect.completion,
        transform: Aspect.init(argument:))
    var aspects: [Aspect] = []

    @OptionGroup var period: PeriodOptions

    @Option(
        name: [.customShort("n"), .long], parsing: .unconditional,
        help: "Print only the latest changes, at most this many.", transform: Count.parse)
    var limit: Int?

    @Flag(help: "Print the changes of all aspects, also of the names of rules and of the schedule's entries.")
    var all = false

    @Flag(help: "Print each change as a line of JSON, an Event of the interface, and nothing else.")
    var json = false

    @OptionGroup var bus: BusOptions

    func validate() throws {
        if all && !aspects.isEmpty { throw ValidationError("--all cannot be combined with aspects") }
    }

    func perform() throws {
        let client = try BlockingClient(bus.resolved())
        guard !aspects.contains(.lifecycle) else {
            throw Failure(.usage, "lifecycle has no history; 'reveille watch lifecycle' prints its changes")
        }
        let log = try client.call(GetLog())
        Aspect.reportUnmatched(aspects, among: log.compactMap(\.aspect))
        let isOwnShown = all || !aspects.isEmpty
        let history = BusHistory(log.filter { isOwnShown || $0.aspect?.isOwn != true }, of: aspects)
        // Samples are not logged.
        let samples = try aspects.filter { $0.builtIn?.kind == .stream }.flatMap { aspect in
            try client.call(GetHistory(aspect, limit: limit)).events.map { BusHistory.Item.change($0) }
        }
        let items = (history.items + samples).filter { period.includes($0.time) && (!json || $0.event != nil) }
        history.reportStart(since: period.since?.timestamp)
        let column = EventText.column(for: items.compactMap { $0.event?.aspect })
        for item in items.suffix(limit ?? .max) {
            if json, let event = item.event {
                try Console.json(event.structure)
            } else {
                try Console.line(item.line(column: column))
            }
        }
    }
}
