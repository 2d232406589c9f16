// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ReveilleConsole
import ReveilleFleet

struct FleetWatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print each change of a fleet as it arrives.",
        discussion: """
            Connects again when the broker was lost, and prints the changes in the meantime: one line for each state, \
            with the number of changes. While the output is blocked, changes are merged. On a terminal, the current \
            states are printed first.

            EXAMPLES
              reveille-fleet watch
              reveille-fleet watch 'shop-*' --aspect battery --json
              reveille-fleet watch --state ~/.cache/fleet --count 1
            """)

    @Argument(help: "Devices, and patterns in which * stands for any characters. Default: all.")
    var devices: [String] = []

    @Option(
        name: .customLong("aspect"),
        help: "An aspect, a name, or a pattern such as org.example.*; may be given several times. Default: all.")
    var aspects: [String] = []

    @Flag(help: "Print the current states first.")
    var initial = false

    @Flag(help: "Print each event as a line of JSON.")
    var json = false

    @Flag(help: "Print the date as well as the time.")
    var date = false

    @OptionGroup var limits: LimitOptions

    @Option(
        help: """
            A file that stores the positions of the printed events. The next run with this file, these devices and \
            these aspects first prints the changes since then. Events that were being printed when the run was killed \
            are printed again.
            """, completion: .file())
    var state: String?

    @OptionGroup var broker: BrokerOptions

    @OptionGroup var logging: LogOptions

    func validate() throws {
        if state?.isEmpty == true { throw ValidationError("--state must not be empty") }
        if json && date { throw ValidationError("--date cannot be combined with --json") }
    }

    func run() {
        Failure.guarding(broker) {
            let stream = try FleetWatchStream(self)
            let run = try EventRun(limits, counting: stream.counted)
            try run.follow { try await stream.run() }
            try stream.end()
            try run.checkEnd()
        }
    }
}
