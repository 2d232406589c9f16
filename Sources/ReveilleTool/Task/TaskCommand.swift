// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Glibc
import ReveilleWire

/// `reveille task`: runs a command that should finish before the program is suspended.
struct TaskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "task",
        abstract: "Run a command that should finish before its program is suspended.",
        usage: "reveille task [OPTIONS] NAME -- COMMAND [ARGUMENT ...]",
        discussion: """
            A program that is suspended is frozen once its tasks have ended, or their time is over: 30 seconds in the \
            background by default (lifecycle.taskTime). While the command runs, the program has a task with the given \
            name, which 'reveille status' shows. Five seconds before the end of the time, a line is printed on \
            stderr. The command is not ended.

            The program is the nearest process above this one that has a subscription, so that a script has a task of \
            the program that started it. With --subscription it is the program of that subscription.

            If there is no bus or no such program, or if the bus refuses the task, a line on stderr says so, and the \
            command runs all the same. If the bus is restarted, the task ends. Only a --subscription that does not \
            exist is a failure.

            SIGHUP, SIGINT, SIGQUIT and SIGTERM are passed on to the command. The exit code is that of the command, 128 \
            plus the number of the signal that ended it, or 127 if it cannot be started.

            EXAMPLES
              reveille task backup -- rsync -a notes server:
              reveille task --subscription mail send -- ./send-queued-mail
            """)

    @Argument(help: "The name of the task: 1 to \(BusInterface.nameLimit) bytes.")
    var name: String

    @Option(parsing: .unconditional, help: SubscriptionName.help)
    var subscription: String?

    @OptionGroup var bus: BusOptions

    @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.")
    var command: [String] = []

    func validate() throws {
        if command.isEmpty { throw ValidationError("missing command: reveille task NAME -- COMMAND") }
        guard (1...BusInterface.nameLimit).contains(name.utf8.count) else {
            throw ValidationError("NAME must have 1 to \(BusInterface.nameLimit) bytes, not \(name.utf8.count)")
        }
    }

    func run() {
        Failure.guarding {
            try Program.check(command)
            let code = try TaskSession(self).run()
            Glibc.exit(code)
        }
    }
}
