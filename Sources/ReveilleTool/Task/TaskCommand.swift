// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import ReveilleConsole
import ReveilleWire

struct TaskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "task",
        abstract: "Run a command that should finish before its program is suspended.",
        usage: "reveille task [OPTIONS] NAME -- COMMAND [ARGUMENT ...]",
        discussion: """
            While the command runs, its program has a task with the given name, which 'reveille status' shows. A \
            program is not frozen before its tasks have ended or their time is over. The time is 30 seconds in the \
            background by default (lifecycle.taskTime). Five seconds before its end, a warning is printed on stderr. \
            The command is never terminated.

            The program is the nearest ancestor of this process with a subscription, for example the parent of a \
            script. With --subscription, it is the program of that subscription.

            Without a bus or such a program, or if the bus refuses the task, a warning is printed on stderr, and the \
            command runs without a task. If the bus is restarted, the task ends. It is an error if the subscription of \
            --subscription does not exist.

            SIGHUP, SIGINT, SIGQUIT and SIGTERM are passed on to the command. The exit code is the command's, 128 plus \
            the number of the signal that ended it, or 127 if it cannot be started.

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
