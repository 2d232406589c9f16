// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleSystem

/// One run of a command that starts programs: its signals, the programs that run, and how it ends.
///
/// A signal is passed on to the programs, and ends the session once they have ended; without a program, at once. It belongs
/// to the thread of its loop.
final class CommandSession {
    struct Ending: Sendable {
        /// The last signal that was to end the session.
        var signal: Int32?
        /// The exit code of the command, if a program has decided it.
        var exitCode: Int32?

        /// Ends the process with the exit code, or else as the signal does by default; returns if there is neither.
        func endProcess() {
            if let exitCode { exit(exitCode) }
            if let signal { Signals.die(by: signal) }
        }
    }

    let loop: EventLoop
    private let ending: Lock<Ending>
    private let onEnd: ((any Error)?) -> Void
    private var sources: [EventSource] = []
    private var running: [(program: Program, onEnd: (Int32) throws -> Void)] = []

    /// Runs a body on a thread with a loop, which its device can use too, until it returns or a signal ends the session.
    static func run(
        _ body: sending @escaping (sending CommandSession, LoopThread) async throws -> Void
    ) throws -> Ending {
        // Before any thread is started: threads inherit the signal mask.
        for number in Signals.passedOn + [SIGCHLD] { EventLoop.block(number) }
        let (task, thread, ending) = (try AwaitedTask(), try LoopThread(), Lock(Ending()))
        task.start(on: thread) {
            let session = try CommandSession(on: thread.loop, ending) { error in
                if let error { task.fail(error) } else { task.end.wake() }
            }
            try await body(session, thread)
        }
        try task.wait()
        return ending.withLock { $0 }
    }

    /// Handles signals on a loop, and calls `onEnd` when one of them ends the session, or with the error of a program's end.
    init(
        on loop: EventLoop, _ ending: Lock<Ending> = Lock(Ending()), onEnd: @escaping ((any Error)?) -> Void
    ) throws(SystemError) {
        (self.loop, self.ending, self.onEnd) = (loop, ending, onEnd)
        for number in Signals.passedOn {
            sources.append(try loop.onSignal(number) { [unowned self] in end(by: number) })
        }
        // Of the pending signals, the kernel may report SIGCHLD first; one for both is noted before the end of a program.
        let answer = try loop.timer { [unowned self] in answerEnded() }
        sources += [answer, try loop.onSignal(SIGCHLD) { answer.fire(after: .zero) }]
    }

    /// The signal that ends the session: no program starts any more.
    var signal: Int32? { ending.withLock { $0.signal } }

    var isEnding: Bool { signal != nil }

    var isRunning: Bool { !running.isEmpty }

    var exitCode: Int32? {
        get { ending.withLock { $0.exitCode } }
        set { ending.withLock { $0.exitCode = newValue } }
    }

    // MARK: - Programs

    /// Starts a program unless the session is ending, and returns whether it was started.
    ///
    /// `onEnd` receives the exit code before the session can end, so that it can still store a state.
    @discardableResult
    func start(
        _ command: [String], environment: [String: String] = Environment.all, descriptors: [Int32: Int32] = [:],
        onEnd: @escaping (Int32) throws -> Void
    ) throws(Failure) -> Bool {
        guard !isEnding else { return false }
        running.append((try Program(command, environment: environment, descriptors: descriptors), onEnd))
        return true
    }

    /// Starts a program, and waits until it has ended.
    func run(
        _ command: [String], environment: [String: String] = Environment.all, descriptors: [Int32: Int32] = [:],
        onEnd: @escaping (Int32) throws -> Void
    ) async throws {
        try await withCheckedThrowingContinuation { (answer: CheckedContinuation<Void, any Error>) in
            do {
                let isStarted = try start(command, environment: environment, descriptors: descriptors) { code in
                    let result = Result { try onEnd(code) }
                    answer.resume(with: result)
                    try result.get()
                }
                if !isStarted { answer.resume() }
            } catch {
                answer.resume(throwing: error)
            }
        }
    }

    /// Sends a signal to the running programs.
    func signal(_ number: Int32) {
        for (program, _) in running { program.signal(number) }
    }

    // MARK: - Signals

    private func end(by number: Int32) {
        ending.withLock { $0.signal = number }
        for (program, _) in running { program.pass(number) }
        endIfIdle()
    }

    private func answerEnded() {
        var ended: [(code: Int32, onEnd: (Int32) throws -> Void)] = []
        // Each is asked once, since it can end between two questions.
        running.removeAll { program, onEnd in
            guard let code = program.end else { return false }
            ended.append((code, onEnd))
            return true
        }
        do {
            for (code, onEnd) in ended { try onEnd(code) }
        } catch {
            return self.onEnd(error)
        }
        endIfIdle()
    }

    private func endIfIdle() {
        if isEnding, running.isEmpty { onEnd(nil) }
    }
}
