// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleConsole
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import ReveilleWire

/// One run of `reveille on`: its subscription, its signals and its command.
///
/// The loop of the main thread handles signals, and starts the command when the stream requests it.
final class OnSession {
    /// The kernel's limit for one variable of the environment, with its name and a NUL (MAX_ARG_STRLEN).
    private static let longestVariable = 131_072

    private let command: OnCommand
    private let loop: EventLoop
    private let runs: ProgramRuns
    private let stream: TriggerStream
    private let following: AwaitedTask
    private var sources: [EventSource] = []
    private var current: (program: Program, request: ProgramRuns.Request)?
    /// The signal that ended the run.
    private var signal: Int32?

    init(_ command: OnCommand, _ condition: Condition) throws {
        self.command = command
        loop = try EventLoop()
        runs = try ProgramRuns()
        following = try AwaitedTask()
        stream = TriggerStream(
            command, from: try TriggerProgress(condition, on: command.aspect, storedIn: command.state), runs: runs)
    }

    /// Runs the command whenever it is due, until a signal or the count of runs ends the session.
    ///
    /// - Returns: The exit code.
    func run() throws -> Int32 {
        // Before any thread is started: threads inherit the signal mask.
        for number in Signals.ending {
            sources.append(try loop.onSignal(number) { [unowned self] in end(by: number) })
        }
        sources.append(try loop.onSignal(SIGCHLD) { [unowned self] in finish() })
        sources.append(try loop.watch(runs.requests.readingEnd, for: .readable) { [unowned self] _ in start() })
        sources.append(try loop.watch(following.end.readingEnd, for: .readable) { [unowned self] _ in loop.exit() })
        following.start { [stream] in try await stream.run() }
        try loop.run()
        try following.check()
        guard let count = command.count else { return 0 }
        let completed = stream.completed.withLock { $0 }
        if completed.count >= count { return completed.code }
        // A script must not continue as if the condition had become true.
        if let signal { Signals.die(by: signal) }
        throw Failure(.failure, "ended after \(completed.count) of \(count) runs")
    }

    private func end(by number: Int32) {
        signal = number
        // The stream ends when it has stored the result of a run.
        if !runs.end() { loop.exit() }
        current?.program.pass(number)
    }

    /// Starts the command for the request, if there is one.
    private func start() {
        guard let request = runs.next() else { return }
        do {
            current = (try program(for: request), request)
        } catch {
            request.answer.resume(throwing: error)
        }
    }

    private func program(for request: ProgramRuns.Request) throws -> Program {
        let event = EventCoding.encode(request.event).printable
        var environment = ChildProcess.environment
        environment["REVEILLE_ASPECT"] = request.event.aspect.name
        environment["REVEILLE_CHANGES"] = String(request.event.changes)
        let fits = "REVEILLE_EVENT=".utf8.count + event.utf8.count < Self.longestVariable
        environment["REVEILLE_EVENT"] = fits ? event : nil
        let input = try MemoryFile(Array((event + "\n").utf8))
        return try Program(command.command, environment: environment, descriptors: [STDIN_FILENO: input.number])
    }

    /// Answers the request if the command has ended.
    private func finish() {
        guard let (program, request) = current, program.hasEnded, let code = program.exitCode else { return }
        current = nil
        if code != 0, signal == nil { Console.error("reveille: \(command.command[0]): exit code \(code)") }
        request.answer.resume(returning: code)
    }
}
