// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import ReveilleConsole
import ReveilleHost
import ReveilleSystem
import ReveilleWire

struct RunCommand: GuardedCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a program in a scope of its own, so that it can be suspended.",
        usage: "reveille run [--name NAME] -- COMMAND [ARGUMENT ...]",
        discussion: """
            The program replaces this process, and has its terminal, process ID, signals and exit code. It and its \
            children are in a scope of the service manager, which 'reveille suspend' freezes. Without a service \
            manager, it gets a cgroup of its own if the user may create one. If neither is possible, the program still \
            runs, and a message on stderr states why it cannot be suspended.

            EXAMPLES
              reveille run -- player talk.ogg
              reveille run --name player -- python3 player.py
            """)

    @Option(
        help: """
            The name of the scope and, through $REVEILLE_NAME, the default name of the program's subscriptions. \
            Without it, the scope has the name of the program, and subscriptions have no default name.
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

    func perform() throws {
        try Program.check(command)
        if let reason = try enterScope() {
            Console.error("reveille: \(command[0]) cannot be suspended: \(reason)")
        }
        // An inherited name belongs to the program that started this one.
        try Failure.coded(.notStarted) {
            try Execution.replaceProcess(byLast: command.count, changing: ["REVEILLE_NAME": name])
        }
    }

    /// Moves this process into a scope of the service manager or, without one, into a cgroup of its own; returns the
    /// reason why that is not possible.
    private func enterScope() throws(SystemError) -> String? {
        let program = name ?? command[0].split(separator: "/").last.map(String.init) ?? command[0]
        let scope = UnitName.scope(for: program, number: .random(in: .min ... .max))
        let unit = TransientUnit.scope(scope, of: getpid(), description: command.joined(separator: " "))
        let loop = try EventLoop()
        let manager = ServiceManager(loop: loop)
        var failure: ServiceManager.Failure?
        manager.start(unit) {
            failure = $0
            loop.exit()
        }
        try loop.run()
        guard let failure else { return nil }
        // A service manager could remove a cgroup that it does not know among its own.
        guard case .absent = failure else { return "\(failure)" }
        do throws(SystemError) {
            try OwnCgroup.enter(scope)
            return nil
        } catch {
            return "\(failure); \(error)"
        }
    }
}
