// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Glibc
import ReveilleTesting

/// `reveille simulate`: a program on a synthetic phone that follows a scenario.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Runs a program with a synthetic phone that follows a scenario.",
        discussion: """
            The phone has a bus of its own, which the program finds by REVEILLE_ADDRESS; through libudev and \
            /sys it sees the phone's devices, and in $HOME the phone's settings. A scenario is a text with a \
            step a line, done one after another; lines that begin with # are comments.

              start                    the program starts here; without it, before the first step
              wait SECONDS
              wait subscribed [COUNT]  until the program has subscribed
              wait delivered           until every subscriber that is awake has read
                                       what changed
              level 0..1 [BATTERY]     the charge
              plug, unplug
              rotate POSE              portrait, landscapeLeft, faceDown and so on
              near, far
              locale NAME              as in de_DE.UTF-8
              settings FILE TEXT       writes a file below ~/.config
              burst COUNT              so many changes of the level, at full speed
              add PART, remove PART    battery, battery2, charger, accelerometer, proximity
              background, foreground   all subscriptions sleep, or wake
              restart                  the bus ends and starts again
              expect ASPECT [FIELD] VALUE [changes COUNT]
                                       the last event says so, or soon does
              end                      SIGTERM to the program

            Each step that changes the phone is one change: the bus has read it before the next step. 'expect' \
            compares the last event of an aspect, as a subscriber that reads at once was told it; that one sleeps \
            and wakes with the program.

            The exit code is the program's, 128 plus the signal that ended it (0 for the SIGTERM of 'end'), or \
            127 if it cannot be started. A step that fails ends the program; the exit code is then 78 for the \
            scenario, 124 for a wait that took too long, 1 if an expectation fails.

            EXAMPLES
              reveille simulate day.scenario -- python3 app.py
            """)

    @Argument(help: "The file with the scenario; - for stdin.")
    var scenario: String

    @Option(
        parsing: .unconditional,
        help: "How many seconds 'wait subscribed', 'wait delivered' and 'expect' wait at most.")
    var patience: Double = 30

    @Flag(
        help: """
            Report each 'expect' on stdout, by the Test Anything Protocol, and go on after one that fails; the \
            program's stdout is then stderr.
            """)
    var tap = false

    @Argument(parsing: .postTerminator, help: "The program, after --, and its arguments.")
    var command: [String] = []

    func validate() throws {
        if command.isEmpty { throw ValidationError("name a program: reveille simulate SCENARIO -- COMMAND") }
        if !(patience >= 0 && patience < 1e6) { throw ValidationError("--patience is at least 0 seconds") }
    }

    func run() {
        Failure.guarding {
            let scenario = try Scenario(file: scenario)
            let code = try Simulation(scenario, command: command, patience: .seconds(patience), reportsTests: tap)
                .run()
            // The phone is gone by now.
            Glibc.exit(code)
        }
    }
}
