// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole
import ReveilleWire

struct LogCommand: GuardedCommand {
    /// How often all aspects are queried if the bus becomes another instance meanwhile.
    ///
    /// A bus becomes another instance at most once after it has saved its state, so the second attempt succeeds.
    private static let attempts = 3

    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Print the latest changes.",
        discussion: """
            The bus keeps the latest changes of each aspect (bus.history in its configuration); after a restart, \
            the oldest is the last change before the restart. Printing changes delivers nothing to subscribers. A \
            pattern prints the changes of each matching name that is published now; a pattern without matches is \
            reported on stderr. The names of rules and of the schedule's entries are left out unless they are named.

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

    @Flag(help: "Print each change as a line of JSON, an Event of the interface.")
    var json = false

    @OptionGroup var bus: BusOptions

    func perform() throws {
        var events = try changes()
        events.removeAll { !period.includes($0) }
        events.sort { $0.sequence < $1.sequence }
        events = events.suffix(limit ?? .max)
        let column = EventText.column(for: events.map(\.aspect))
        for event in events {
            try json
                ? Console.json(event.structure)
                : Console.line(EventText.time(of: event, withDate: true) + EventText.line(event, column: column))
        }
    }

    func validate() throws {
        if all && !aspects.isEmpty { throw ValidationError("--all cannot be combined with aspects") }
    }

    /// Returns the changes of the aspects, all from one instance of the bus, since sequences of two instances cannot be
    /// compared.
    private func changes() throws -> [Event] {
        let client = try BlockingClient(bus.resolved())
        let known = try client.call(DescribeAspects()).map(\.aspect)
            .filter { $0 != .lifecycle }
        guard !aspects.contains(.lifecycle) else {
            throw Failure(.usage, "lifecycle has no history; 'reveille watch lifecycle' prints its changes")
        }
        Aspect.reportUnmatched(aspects, among: known)
        let named = aspects.flatMap { aspect in aspect.isPattern ? known.filter(aspect.matches) : [aspect] }
        let aspects = AspectSet(aspects.isEmpty ? known.filter { all || !$0.isOwn } : named).aspects
        for _ in 0..<Self.attempts {
            let replies = try aspects.map { aspect in
                try client.call(GetHistory(aspect, limit: limit, wantsSupply: aspect == .battery))
            }
            if Set(replies.map(\.instance)).count <= 1 { return replies.flatMap(\.events) }
        }
        throw Failure(.tryAgain, "the bus became another instance \(Self.attempts) times while it was read")
    }
}
