// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem
import ReveilleWire

struct TaskCommand: GuardedCommand {
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
            script, or another program of the same 'reveille run'. With --subscription, it is the program of that \
            subscription.

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

    @Option(parsing: .unconditional, help: SubscriptionName.help, completion: SubscriptionName.completion)
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

    func perform() throws {
        try Program.check(command)
        let task = try CommandTask(self)
        // On this thread: the command has to run even where there is no room for others.
        let loop = try EventLoop()
        let session = try CommandSession(on: loop) { _ in loop.exit() }
        try task.follow(on: loop)
        try session.start(command) { [unowned session] code in
            session.exitCode = code
            loop.exit()
        }
        try loop.run()
        CommandSession.Ending(signal: session.signal, exitCode: session.exitCode).endProcess()
    }
}

/// The task of `reveille task`, which lasts as long as its connection: until the process ends.
final class CommandTask {
    /// The connection, whose replies report the time; `nil` without a task.
    private var client: BlockingClient?
    private var replies: EventSource?

    /// Begins the task, or reports the reason why the command runs without one.
    init(_ options: TaskCommand) throws {
        do {
            let client = try BlockingClient(options.bus.resolved())
            guard let subscription = try Self.subscription(options.subscription, on: client) else {
                let scope =
                    ProgramScope(of: getpid()) == nil
                    ? "it is in no scope of 'reveille run'" : "no other program of its scope has one"
                report(
                    "no ancestor of this process has a subscription, and \(scope); nothing waits for the command")
                return
            }
            if report(try client.call(BeginTask(options.name, of: subscription))) { self.client = client }
        } catch let error as ReveilleError {
            report("\(error); nothing waits for the command")
        }
    }

    /// Reports the state of the task whenever it changes.
    func follow(on loop: EventLoop) throws(SystemError) {
        guard let client else { return }
        replies = try loop.watch(client.number, for: .readable) { [unowned self] _ in receive(from: client) }
    }

    /// Returns the option's subscription, or a subscription of the nearest ancestor process that has one, or one in the scope
    /// of this process.
    private static func subscription(_ text: String?, on client: BlockingClient) throws -> String? {
        let subscribers = try client.call(ListSubscriptions()).subscriptions
        if let text { return try SubscriptionName(text: text).id(among: subscribers) }
        var (process, ancestors) = (getpid(), Set<Int32>())
        // A process can end meanwhile, which could repeat an ancestor.
        while let parent = OrphanedProcesses.parent(of: process), parent > 0, ancestors.insert(parent).inserted {
            if let subscriber = subscribers.first(where: { $0.processID == parent }) { return subscriber.id }
            process = parent
        }
        guard let scope = ProgramScope(of: getpid()) else { return nil }
        return subscribers.first { ProgramScope(of: $0.processID) == scope }?.id
    }

    private func receive(from client: BlockingClient) {
        do throws(ReveilleError) {
            while let state = try client.next(expecting: TaskState.self) {
                guard report(state) else { return replies = nil }
            }
        } catch {
            replies = nil
            report("\(error); nothing waits for the command any longer")
        }
    }

    /// Reports a state of the task unless there is time, and returns whether the task lasts.
    private func report(_ state: TaskState) -> Bool {
        if state.hasEnded {
            report("the time for the task is over, and its program can be suspended")
        } else if state.isExpiring, let remaining = state.remaining {
            let seconds = Int64((remaining / .seconds(1)).rounded())
            report("the time for the task ends in \(seconds) s")
        }
        return !state.hasEnded
    }

    private func report(_ message: StyledText) {
        Console.error("reveille: \(message)")
    }
}
