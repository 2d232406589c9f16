// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem
import ReveilleWire

/// One run of `reveille on`: its subscription, its signals and its command, which runs each time the condition becomes
/// true.
///
/// An actor on the loop of one thread, which the device uses too. An event is taken only when the previous run has ended,
/// so changes are merged in the meantime.
actor OnSession {
    private struct Outcome {
        /// The number of runs so far, and the exit code of the last one.
        var count = 0
        var code: Int32 = 0
        var signal: Int32?
    }

    nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private let command: OnCommand
    private let following: AwaitedTask
    private nonisolated let outcome = Lock(Outcome())
    private var progress: TriggerProgress
    private var sources: [EventSource] = []
    private let commands = EventCommands()
    /// Whether a run has begun whose result is not stored yet.
    private var isBusy = false

    private init(_ command: OnCommand, _ progress: TriggerProgress, _ following: AwaitedTask) throws {
        self.command = command
        self.progress = progress
        self.following = following
        thread = try LoopThread()
    }

    /// Runs the command whenever it is due, until a signal or the count of runs ends the session; returns the exit
    /// code.
    static func run(_ command: OnCommand, _ condition: Condition?) throws -> Int32 {
        let domains = try command.domains.selection(for: AspectSet(command.aspect))?.words
        let progress = try TriggerProgress(condition, on: command.aspect, domains, storedIn: command.state)
        // Before any thread is started: threads inherit the signal mask.
        for number in Signals.ending + [SIGCHLD] { EventLoop.block(number) }
        let following = try AwaitedTask()
        let session = try OnSession(command, progress, following)
        following.start(on: session.thread) { try await session.follow() }
        try following.wait()
        guard let count = command.count else { return 0 }
        let outcome = session.outcome.withLock { $0 }
        if outcome.count >= count { return outcome.code }
        // A script must not continue as if the condition had become true.
        if let signal = outcome.signal { Signals.die(by: signal) }
        throw Failure(.failure, "ended after \(outcome.count) of \(Count.text(count, "run"))")
    }

    private func end(by number: Int32) {
        outcome.withLock { $0.signal = number }
        // A run ends the session when its result is stored.
        if !isBusy { following.end.wake() }
        commands.pass(number)
    }

    // MARK: - The subscription

    private func follow() async throws {
        for number in Signals.ending {
            sources.append(try thread.loop.onSignal(number) { self.end(by: number) })
        }
        sources.append(try thread.loop.onSignal(SIGCHLD) { self.commands.answerEnded() })
        let device = try await Device.connect(to: command.bus.address, on: thread)
        let subscription = try await device.subscribe(
            to: AspectSet(command.aspect), initial: true, resume: progress.positions,
            name: Environment["REVEILLE_NAME"] ?? "reveille on \(command.aspect)", domains: progress.domains)
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.follow(subscription, on: device) }
            group.addTask { try await device.reportConnection { Console.error($0) } }
            try await group.next()
            group.cancelAll()
        }
    }

    private func follow(_ subscription: Subscription, on device: Device) async throws {
        while let event = try await subscription.next() {
            guard let instance = subscription.positions?.instance else {
                preconditionFailure("an event before the bus has answered")
            }
            for change in command.condition == nil ? [event] : await device.changes(mergedInto: event) {
                guard try progress.take(change, of: instance) else { continue }
                isBusy = true
                guard let code = try await runCommand(for: change) else { return }
                // Not before: the run is repeated if this process is killed during it.
                try progress.store(change, of: instance)
                // After an error, a signal must not end the session as if the result were stored.
                isBusy = false
                let outcome = outcome.withLock { outcome in
                    outcome.count += 1
                    outcome.code = code
                    return outcome
                }
                guard outcome.signal == nil, outcome.count < command.count ?? .max else { return }
            }
        }
    }

    private func runCommand(for event: Event) async throws -> Int32? {
        let code = try await commands.run(command.command, for: event, environment: Environment.all)
        if let code, code != 0, outcome.withLock({ $0.signal }) == nil {
            Console.error("reveille: \(command.command[0]): exit code \(code)")
        }
        return code
    }
}
