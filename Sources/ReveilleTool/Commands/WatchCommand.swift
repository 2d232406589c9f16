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
            On a terminal, b sends the subscription to the background, f brings it back to the foreground, \
            and q ends.

            EXAMPLES
              reveille watch
              reveille watch battery orientation --initial --json
              reveille watch battery --count 1 --timeout 60 && notify-send 'the battery changed'
            """)

    @Argument(help: "What to watch; all five aspects if none is named.")
    var aspects: [Aspect] = []

    @Flag(help: "Print the current state first.")
    var initial = false

    @Flag(help: "Start in the background.")
    var background = false

    @Flag(help: "One JSON object a line: the interface's Event.")
    var json = false

    @Option(help: "A name for the list of subscriptions.")
    var name: String?

    @Option(help: "End after this many events.")
    var count: Int?

    @Option(help: "Give up after this many seconds, with exit code 124.")
    var timeout: Double?

    @OptionGroup var bus: BusOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is at least 1") }
        if let timeout, !(timeout > 0 && timeout < 1e9) { throw ValidationError("--timeout is more than 0 seconds") }
    }

    func run() {
        Failure.guarding {
            let session = try WatchSession(self)
            try session.run()
        }
    }
}
