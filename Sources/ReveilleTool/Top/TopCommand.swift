// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem

struct TopCommand: GuardedCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show the bus live: its aspects, its subscriptions, and what waits for them.",
        discussion: """
            On a terminal, '?' explains the keys and the columns: 'h', 's' and 'w' hold the selected subscription in \
            the background, suspend its program, or wake it. If stdin or stdout is not a \
            terminal, if TERM is 'dumb', or with --batch, the lists are printed as lines instead: once without a \
            terminal, otherwise until the program is ended.

            The program subscribes to nothing, so no sensor is watched for it. It asks the bus a few questions every \
            second, and less often if the bus takes long to answer.

            EXAMPLES
              reveille top
              reveille top --batch --count 2 --delay 10
            """)

    /// The width of the line of changes in characters, as on a screen of 80 columns.
    private static let lineWidth = 12

    @Flag(name: .shortAndLong, help: "Print the lists as lines instead of drawing on the terminal.")
    var batch = false

    @Option(
        name: [.customShort("n"), .long], parsing: .unconditional,
        help: "Exit after the bus has answered this many times. Default: 1 without a terminal, otherwise no limit.",
        transform: Count.parse)
    var count: Int?

    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: "The number of seconds between two polls of the bus, from 1 to 3600. Default: 1.",
        transform: { try Seconds.parse($0, in: TopPace.delays) })
    var delay: Double = 1

    @OptionGroup var bus: BusOptions

    func perform() throws {
        let hasScreen = isatty(STDIN_FILENO) == 1 && Console.isTerminal
        let isLimited = !batch && isatty(STDOUT_FILENO) == 0
        let pace = TopPace(delay: .seconds(delay), count: count ?? (isLimited ? 1 : nil))
        guard batch || !hasScreen else { return try TopSession.run(bus, pace) }
        try AwaitedTask.awaiting { [bus] in try await Self.printLists(of: bus, pace) }
    }

    private static func printLists(of bus: BusOptions, _ pace: TopPace) async throws {
        let device = try await bus.device()
        var model = TopModel(address: try bus.resolved().description)
        var polls = 0
        var isLost = false
        while true {
            var cost: Duration = .zero
            do {
                let poll = try await TopPoll.take(from: device, model.request)
                if isLost { Console.error("reveille: reconnected to the bus") }
                isLost = false
                cost = poll.cost
                model.receive(poll)
                if polls > 0 { try Console.line("") }
                try print(model)
                polls += 1
            } catch let error as ReveilleError {
                if !isLost { Console.error("reveille: \(error); waiting for the bus to return") }
                isLost = true
            }
            if let count = pace.count, polls >= count { return }
            try await Task.sleep(for: pace.pause(after: cost))
        }
    }

    private static func print(_ model: TopModel) throws(Failure) {
        try Console.line(StyledText(model.summary.joined(separator: "   ")))
        try Console.line("")
        try TopTables.aspects(of: model, line: lineWidth).print()
        try Console.line("")
        guard !model.subscriptions.rows.isEmpty else { return try Console.line("no subscriptions") }
        try TopTables.subscriptions(of: model).print()
    }
}

struct TopPace: Hashable, Sendable {
    /// From a second, since faster polls would cost the bus more than its subscribers, to an hour.
    static let delays = 1.0...3_600.0
    /// The pause after a poll as a multiple of the time that the bus took to answer: at most a twentieth of its time is
    /// spent on this program, however many subscriptions it lists.
    private static let rest = 20

    /// The least pause between two polls.
    var delay: Duration
    /// The number of polls after which the program ends; `nil` for no limit.
    var count: Int?

    func pause(after cost: Duration) -> Duration {
        max(delay, cost * Self.rest)
    }
}
