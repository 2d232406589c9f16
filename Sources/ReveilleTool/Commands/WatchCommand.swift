// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import ReveilleCore
import ReveilleSystem

/// `reveille watch`: each event, as it comes.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints each change as it comes.",
        discussion: """
            Goes on when the bus restarts, with what changed meanwhile. On a terminal, b sends the subscription \
            to the background, f brings it back to the foreground, and q ends.

            EXAMPLES
              reveille watch
              reveille watch battery orientation --initial --json
              reveille watch battery --count 1 --timeout 60 && notify-send 'the battery changed'
              reveille watch --state ~/.cache/watched --count 1    each change once, run after run
            """)

    @Argument(
        help: "What to watch; all five aspects if none is named.", completion: Aspect.completion,
        transform: Aspect.init(argument:))
    var aspects: [Aspect] = []

    @Flag(
        help: """
            Print the current state first, and count it for --count. On a terminal this is the default, but there the \
            state is counted only with --initial.
            """)
    var initial = false

    @Flag(help: "Start in the background.")
    var background = false

    @Flag(help: "One JSON object a line: the interface's Event.")
    var json = false

    @Flag(help: "Print the day as well as the time.")
    var date = false

    @Flag(help: "Print what each state was read from.")
    var source = false

    @Flag(help: "End when the bus does, with exit code 69.")
    var once = false

    @Option(help: "A name for the list of subscriptions.")
    var name: String?

    @Option(parsing: .unconditional, help: "End after this many events.")
    var count: Int?

    @Option(parsing: .unconditional, help: "Give up after this many seconds, with exit code 124.")
    var timeout: Double?

    @Option(
        help: """
            A file that keeps how far this has come. The next run with it prints first what changed since then; \
            an event that was printed as the run was killed comes again.
            """)
    var state: String?

    @OptionGroup var bus: BusOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is at least 1, not \(count)") }
        if let timeout { try Seconds.validate(timeout, of: "--timeout") }
        if state?.isEmpty == true { throw ValidationError("--state is the path of a file, and is empty") }
        if json && (date || source) {
            throw ValidationError("--date and --source are for people; with --json, changedAt says when")
        }
    }

    func run() {
        Failure.guarding {
            let session = try WatchSession(self)
            try session.run()
        }
    }
}

/// A number of seconds on the command line.
enum Seconds {
    /// From what a timer can tell apart to a year, which is what "never" may mean.
    static let range = 0.001...31_536_000

    /// A number of seconds as people write it: `1 second`, `0.5 seconds`.
    static func text(_ seconds: Double) -> String {
        let number = Int(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
        return number + (seconds == 1 ? " second" : " seconds")
    }

    /// - Throws: `ValidationError` for a number that no timer has.
    static func validate(_ seconds: Double, of option: String) throws {
        guard range.contains(seconds) else {
            throw ValidationError("\(option) is a number of seconds from 0.001 to 31536000, not \(seconds)")
        }
    }
}
