// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting

/// One run of a program on a phone that follows a scenario.
final class Simulation {
    /// How long a program that is told to end by a scenario's failure has for it.
    private static let grace: Duration = .seconds(5)
    /// What ends a program, or is for it to interpret.
    private static let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]
    /// Those of them that the terminal's keys send, to every process of its program.
    private static let keys = [SIGINT, SIGQUIT]
    /// Between two looks at what nobody tells of.
    private static let pause: Duration = .milliseconds(10)
    /// Changes of a burst between two looks at the program and the signals; even, so that each chunk ends where it began.
    private static let burstChunk = 100

    private let scenario: Scenario
    private let command: [String]
    private let patience: Duration
    private let stage: ScenarioStage
    private let loop: EventLoop
    private var sources: [EventSource] = []
    private var timer: EventSource?
    private var program: ChildProcess?
    /// Whether the program leads a group of processes of its own.
    ///
    /// Not in the foreground of the terminal on stdin: another group would be stopped as it reads from it.
    private let isApart = tcgetpgrp(STDIN_FILENO) != getpgrp()
    private var next = 0
    /// What the step at hand has done so far: changes of a burst, looks at a condition.
    private var rounds = 0
    private var deadline: ContinuousClock.Instant?
    private var failure: Failure?
    /// The scenario has told the program to end.
    private var isEnded = false
    private var signal: Int32?
    private var report: TestReport?

    /// Makes a run that has not begun.
    ///
    /// - Parameters:
    ///   - scenario: What happens to the phone.
    ///   - command: The program and its arguments.
    ///   - patience: How long a wait or an expectation may take.
    ///   - reportsTests: Whether stdout gets a report of what is expected; the program's stdout is then stderr.
    /// - Throws: `TestbedError` or `Failure` when no phone or no bus can be made.
    init(_ scenario: Scenario, command: [String], patience: Duration, reportsTests: Bool) throws {
        self.scenario = scenario
        self.command = command
        self.patience = patience
        loop = try EventLoop()
        stage = try ScenarioStage(for: scenario)
        report = try reportsTests ? TestReport(of: scenario) : nil
        sources.append(
            try loop.onSignal(SIGCHLD) { [unowned self] in
                if program?.hasEnded == true { loop.exit() }
            })
        // What is ignored from the start, as by nohup, stays so.
        for number in Self.signals where !Self.isIgnored(number) {
            sources.append(try loop.onSignal(number) { [unowned self] in pass(number) })
        }
        let timer = try loop.timer { [unowned self] in proceed() }
        sources.append(timer)
        self.timer = timer
    }

    /// Runs until the program has ended.
    ///
    /// - Returns: The program's exit code, or 128 and the signal that ended it; 0 when that is the SIGTERM of the
    ///   scenario's `end`.
    /// - Throws: `Failure` of the scenario, once the program has ended.
    func run() throws -> Int32 {
        timer?.fire(after: .zero)
        try loop.run()
        if let failure { throw failure }
        let code = program?.exitCode ?? 128 + (signal ?? SIGTERM)
        try finishExpectations(code)
        if report?.hasFailures == true { return Failure.Code.failure.rawValue }
        return isEnded && code == 128 + SIGTERM ? 0 : code
    }

    /// Looks at what was expected as the program ended; what was to be expected later is not so.
    private func finishExpectations(_ code: Int32) throws {
        var hasEndedBefore = false
        for line in scenario.lines[next...] {
            guard case .expect(let expectation) = line.step else {
                hasEndedBefore = true
                continue
            }
            do {
                try settle(
                    line,
                    hasEndedBefore
                        ? "the program ended before, with exit code \(code)" : stage.contradiction(to: expectation))
            } catch {
                throw scenario.failure(error, at: line)
            }
        }
    }

    /// Reports an expectation; without a report, one that is not met is a failure.
    private func settle(_ line: Scenario.Line, _ contradiction: String?) throws {
        guard let contradiction else {
            try report?.pass(line)
            return
        }
        guard report != nil else { throw Failure(.failure, contradiction) }
        try report?.fail(line, contradiction)
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        // A pointer that cannot be called, by its value (SIG_IGN of signal(7)).
        return sigaction(signal, nil, &action) == 0
            && unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self) == 1
    }

    /// Gives a signal to the program; without one, ends.
    private func pass(_ number: Int32) {
        guard program != nil else {
            signal = number
            return loop.exit()
        }
        // A key has reached it too, if it is the terminal's program as this one is.
        if Self.keys.contains(number) && !isApart { return }
        signalProgram(number)
    }

    /// Signals the program, and what it has started where the group is its own.
    private func signalProgram(_ number: Int32) {
        guard let program else { return }
        // Its number is nobody else's until it has been waited for.
        if isApart && program.exitCode == nil { kill(-program.pid, number) } else { program.signal(number) }
    }

    /// Does what is next, and sees to it that the rest follows.
    private func proceed() {
        if failure != nil {
            // It was told to end, and has not.
            signalProgram(SIGKILL)
            return
        }
        guard next < scenario.lines.count else { return }
        let line = scenario.lines[next]
        do {
            let outcome = try perform(line.step)
            if outcome.isDone {
                next += 1
                rounds = 0
                deadline = nil
            }
            timer?.fire(after: outcome.delay)
        } catch {
            fail(scenario.failure(error, at: line))
        }
    }

    private func fail(_ failure: Failure) {
        self.failure = failure
        // The failure itself is on stderr.
        try? report?.bailOut(failure.description)
        guard program != nil else { return loop.exit() }
        signalProgram(SIGTERM)
        timer?.fire(after: Self.grace)
    }

    private func perform(_ step: ScenarioStep) throws -> (isDone: Bool, delay: Duration) {
        switch step {
        case .start: try start()
        case .end:
            isEnded = true
            signalProgram(SIGTERM)
        case .wait(let time) where rounds == 0:
            rounds = 1
            return (false, time)
        case .wait: break
        case .waitSubscribed(let count):
            return try wait("fewer than \(count) subscribed") { try stage.subscriptionCount() >= count }
        case .waitDelivered:
            if rounds == 0 { try stage.refresh() }
            return try wait("not everything was read") { try stage.isDelivered() }
        case .expect(let expectation): return try expect(expectation, scenario.lines[next])
        case .burst(let count):
            let chunk = min(count - rounds, Self.burstChunk)
            try stage.phone.burst(chunk)
            rounds += chunk
            return (rounds == count, .zero)
        default: try stage.perform(step)
        }
        return (true, .zero)
    }

    private func start() throws {
        do throws(TestbedError) {
            program = try ChildProcess(
                command, environment: stage.phone.environment,
                descriptors: report == nil ? [:] : [STDOUT_FILENO: STDERR_FILENO], isApart: isApart)
        } catch {
            throw Failure(.notStarted, "\(error)")
        }
    }

    private func expect(
        _ expectation: Expectation, _ line: Scenario.Line
    ) throws -> (isDone: Bool, delay: Duration) {
        let contradiction = try stage.contradiction(to: expectation)
        if contradiction != nil && hasTime { return (false, Self.pause) }
        try settle(line, contradiction)
        return (true, .zero)
    }

    /// Whether the step at hand may be looked at once more.
    private var hasTime: Bool {
        rounds += 1
        let now = ContinuousClock.now
        let deadline = deadline ?? now + patience
        self.deadline = deadline
        return now < deadline
    }

    private func wait(
        _ otherwise: String, until condition: () throws -> Bool
    ) throws -> (isDone: Bool, delay: Duration) {
        if try condition() { return (true, .zero) }
        guard hasTime else {
            throw Failure(.timeout, "\(otherwise) within \(Seconds.text(patience / .seconds(1)))")
        }
        return (false, Self.pause)
    }
}
