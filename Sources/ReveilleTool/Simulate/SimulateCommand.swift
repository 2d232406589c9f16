// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import ReveilleConsole
import ReveilleSystem

struct SimulateCommand: GuardedCommand {
    /// The time between SIGTERM and SIGKILL for processes that the program leaves behind.
    private static let grace: Duration = .seconds(5)

    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a program on a synthetic phone that follows a scenario.",
        discussion: """
            The phone has its own bus, which the program finds through REVEILLE_ADDRESS. The program sees the \
            phone's devices in libudev and /sys, and the phone's settings in $HOME. A scenario is a text file with \
            one step on each line; the steps are performed in order. Lines that begin with # are comments.

            \(ScenarioForm.help)

            Each step that changes the phone is exactly one change: the bus reads it before the next step. \
            'expect' compares the last event of an aspect as received by a subscriber that reads immediately, and \
            that sleeps and wakes with the program.

            The program may be a shell: its commands run on the phone too. Its bus can be used from another terminal \
            with the address that 'echo $REVEILLE_ADDRESS' prints there, for example to post a state. The bus starts \
            the programs of its schedule, but none in its first five seconds.

            The exit code is the program's, 128 plus the number of the signal that ended it (0 for the \
            SIGTERM of 'end'), or 127 if it cannot be started. Processes that it leaves behind are ended. A step \
            that fails ends the program; the exit code is then 78 for an error in the scenario, 124 for a timeout, or \
            1 for an expectation that is not met.

            EXAMPLES
              reveille simulate day.scenario -- python3 app.py
              reveille simulate day.scenario -- bash
              reveille post proximity near --address ADDRESS
              reveille simulate --timeline day.svg day.scenario -- reveille watch
            """)

    @Argument(help: "The scenario file, or - for stdin.", completion: .file())
    var scenario: String

    @Option(
        parsing: .unconditional,
        help: "The timeout of 'wait subscribed', 'wait delivered' and 'expect', in seconds.",
        transform: { try Seconds.parse($0, in: 0...999_999) })
    var patience: Double = 30

    @Flag(
        help: """
            Report each 'expect' on stdout in the Test Anything Protocol, and continue after a failure. The \
            program's stdout is redirected to stderr.
            """)
    var tap = false

    @Option(
        help: """
            Draw the changes of the phone and the events of subscribers, and write the picture to this SVG file. \
            Its title is the first comment of the scenario. It has the names that a step publishes or expects.
            """, completion: .file())
    var timeline: String?

    @Argument(parsing: .postTerminator, help: "The program and its arguments, after --.")
    var command: [String] = []

    func validate() throws {
        if command.isEmpty { throw ValidationError("missing program: reveille simulate SCENARIO -- COMMAND") }
    }

    func perform() throws {
        Glibc.exit(try simulate())
    }

    private func simulate() throws -> Int32 {
        try OrphanedProcesses.adopt()
        // Their bus has ended with the simulation, and they would wait for it.
        defer { OrphanedProcesses.end(within: Self.grace) }
        let scenario = try Scenario(file: scenario)
        let file = try timeline.map(OutputFile.init)
        let simulation = try Simulation(
            scenario, command: command, patience: .seconds(patience), recordsTimeline: file != nil, reportsTests: tap)
        let code = try simulation.run()
        if let timeline = simulation.timeline { try file?.write(TimelineDrawing.svg(timeline)) }
        return code
    }
}

/// A file for a result, opened before the work begins, since a late failure would waste the work.
final class OutputFile {
    private static let mode: mode_t = 0o666

    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(Failure) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, Self.mode)
        guard descriptor >= 0 else { throw Failure(.output, "\(SystemError("open", on: path))") }
    }

    deinit {
        close(descriptor)
    }

    func write(_ text: String) throws(Failure) {
        // A device or a pipe has no length.
        if ftruncate(descriptor, 0) != 0, errno != EINVAL {
            throw Failure(.output, "\(SystemError("ftruncate", on: path))")
        }
        try Failure.coded(.output) { try Output.write(text.utf8, to: descriptor, of: path) }
    }
}
