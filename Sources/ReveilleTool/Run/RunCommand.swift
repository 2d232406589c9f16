// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Glibc
import ReveilleSystem
import ReveilleWire

/// `reveille run`: runs a program that can be suspended.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a program in a scope of its own, so that it can be suspended.",
        usage: "reveille run [--name NAME] -- COMMAND [ARGUMENT ...]",
        discussion: """
            The program replaces this process: it keeps the terminal, the process ID, the signals and the exit code. It \
            is moved into a scope of the service manager with all its children, which 'reveille suspend' freezes \
            together. Where there is no service manager, it gets a cgroup of its own, if the user may create one. \
            Otherwise it runs all the same, and a message on stderr states why it cannot be suspended.

            EXAMPLES
              reveille run -- player talk.ogg
              reveille run --name player -- python3 player.py
            """)

    @Option(
        help: """
            The name of the scope, by default that of the program. The program finds it in REVEILLE_NAME, and clients \
            name their subscriptions by it.
            """)
    var name: String?

    @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.")
    var command: [String] = []

    func validate() throws {
        if command.isEmpty { throw ValidationError("missing command: reveille run -- COMMAND") }
        guard let name else { return }
        if name.isEmpty { throw ValidationError("--name must not be empty") }
        if name.utf8.count > BusInterface.nameLimit {
            throw ValidationError("--name must have at most \(BusInterface.nameLimit) bytes")
        }
    }

    func run() {
        Failure.guarding {
            try Program.check(command)
            if let reason = try ProgramScope.enter(name: name, command) {
                Console.error("reveille: \(command[0]) cannot be suspended: \(reason)")
            }
            do throws(SystemError) {
                try Execution.replaceProcess(byLast: command.count, adding: name.map { ["REVEILLE_NAME": $0] } ?? [:])
            } catch {
                throw Failure(.notStarted, "\(error)")
            }
        }
    }
}
