// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Glibc
import ReveilleSystem

/// The command `reveille`.
@main
struct Tool: ParsableCommand {
    /// The version of program and packages alike.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "reveille",
        abstract: "Tells programs what changed on the device while they were away.",
        discussion: """
            Start a bus with 'reveille serve', and watch it with 'reveille watch'. Whoever is in the \
            background gets nothing, and on wake one event for each aspect that changed: locale, defaults \
            (user settings), battery, proximity, orientation.

            EXAMPLES
              reveille demo                             what it does, on a synthetic phone
              reveille watch battery --json             each change as a line of JSON
              reveille get                              the state now
              reveille post proximity near              a synthetic state, for tests
              reveille simulate day.scenario -- ./app   a program, on a phone that follows a scenario
              reveille doctor                           what this device has, and what is missing

            EXIT CODES
              0 done, 1 failure, 64 usage, 69 no bus, 74 output lost, 75 try again, 76 protocol, 77 permission,
              78 configuration, 124 timeout, 127 not started
            """,
        version: version,
        subcommands: [
            ServeCommand.self, WatchCommand.self, GetCommand.self, StatusCommand.self, BackgroundCommand.self,
            ForegroundCommand.self, RefreshCommand.self, PostCommand.self, CallCommand.self, SimulateCommand.self,
            DemoCommand.self, DoctorCommand.self,
        ])

    /// Runs the command that the arguments name.
    static func main() {
        Console.reserveStandardStreams()
        // The Swift runtime takes it for a crash, reports that, and goes on.
        if !IgnoredSignals.contains(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
        Failure.guarding { try refuseUnknownCommand(CommandLine.arguments.dropFirst()) }
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            end(error)
        }
    }

    /// Says more of a command that is none than the parser would: what may have been meant.
    private static func refuseUnknownCommand(_ arguments: ArraySlice<String>) throws(Failure) {
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments
        let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        guard let word = words.first, !word.hasPrefix("-"), !names.contains(word) else { return }
        let hint = Suggestion.phrase(for: word, among: names)
        throw Failure(.usage, "there is no command '\(word)'" + (hint.isEmpty ? "; 'reveille help' lists them" : hint))
    }

    /// Writes what a command that was not run says, help above all, and ends.
    private static func end(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        Failure.guarding {
            for line in fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false) {
                if code.isSuccess {
                    try Console.line(StyledText(line))
                } else {
                    Console.error(StyledText(line))
                }
            }
        }
        exit(withError: code)
    }
}
