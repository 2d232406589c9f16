// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Glibc
import ReveilleCore
import ReveilleSystem

extension ParsableCommand {
    /// Runs the command that the arguments of this process name; the `main` of every program.
    ///
    /// An error ends the process with one line on stderr.
    ///
    /// - Parameter overview: The help of the program as a whole; `nil` for the parser's, which lists a command a line.
    package static func runProgram(overview: String? = nil) {
        Console.reserveStandardStreams()
        do {
            let arguments = ProcessArguments.all.dropFirst()
            if let overview, [[], ["help"], ["--help"], ["-h"]].contains(Array(arguments)) {
                return try Console.line(printable: overview)
            }
            try refuseUnknownCommand(arguments)
            try RepeatedOption.refuse(in: arguments, of: self)
            var command = try parseAsRoot(Array(arguments))
            try command.run()
        } catch let failure as Failure {
            failure.end(_commandName)
        } catch {
            end(error)
        }
    }

    /// Rejects an unknown command with a suggestion, which the parser would not give.
    private static func refuseUnknownCommand(_ arguments: ArraySlice<String>) throws(Failure) {
        guard !configuration.subcommands.isEmpty else { return }
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments
        let names = configuration.subcommands.map { $0._commandName } + ["help"]
        guard let word = words.first, !word.hasPrefix("-"), !names.contains(word) else { return }
        let hint = Suggestion.phrase(for: word, among: names)
        throw Failure(.usage, "unknown command '\(word)'" + (hint.isEmpty ? "; see '\(_commandName) help'" : hint))
    }

    /// The word with which the parser begins an error, in place of the name of the program.
    private static var parserPrefix: String { "Error: " }

    /// Prints the help or the error of a command that did not run, and exits.
    private static func end(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        do throws(Failure) {
            var message = fullMessage(for: error)
            if message.hasPrefix(parserPrefix) {
                message = "\(_commandName): " + message.dropFirst(parserPrefix.count)
            }
            for line in message.split(separator: "\n", omittingEmptySubsequences: false) where !message.isEmpty {
                if code.isSuccess {
                    try Console.line(StyledText(line))
                } else {
                    Console.error(StyledText(line))
                }
            }
        } catch {
            error.end(_commandName)
        }
        Glibc.exit(code.rawValue)
    }
}
