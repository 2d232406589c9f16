// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleSystem
import ReveilleTesting

/// A run of a scenario on a phone, and of a program that sees the phone.
final class Simulation {
    /// The time between SIGTERM and SIGKILL for a program that is ended because a step failed.
    private static let grace: Duration = .seconds(5)
    /// The interval at which conditions without a notification are checked.
    private static let pause: Duration = .milliseconds(10)
    /// The part of a pause after which a timeline reads the program's published states.
    private static let glance: Duration = .milliseconds(100)
    /// The number of changes of a burst in one iteration of the loop; even, so each chunk restores the level.
    private static let burstChunk = 100

    private let scenario: Scenario
    private let command: [String]
    private let patience: Duration
    private let stage: ScenarioStage
    private let session: CommandSession
    private let narration: Narration?
    private var timer: EventSource?
    private var next = 0
    /// Whether the narration has begun the next step.
    private var isBegun = false
    /// The progress of the current step: the changes of a burst, or the checks of a condition.
    private var rounds = 0
    private var deadline: ContinuousClock.Instant?
    private var failure: Failure?
    /// Whether the scenario has ended the program.
    private var isEnded = false
    private var report: TestReport?

    /// Creates a run with its phone and its bus; without a command, the run ends after the last step.
    ///
    /// Patience is the timeout of a wait or an expectation. If expectations are reported, on stdout, the program's
    /// stdout is redirected to stderr.
    init(
        _ scenario: Scenario, command: [String] = [], patience: Duration, recordsTimeline: Bool = false,
        reportsTests: Bool = false, narration: Narration? = nil
    ) throws {
        self.scenario = scenario
        self.command = command
        self.patience = patience
        self.narration = narration
        // A signal ends the process while the phone and its bus start.
        stage = try ScenarioStage(for: scenario, recordsTimeline: recordsTimeline, narration: narration)
        let loop = try EventLoop()
        session = try CommandSession(on: loop) { _ in loop.exit() }
        report = try reportsTests ? TestReport(of: scenario) : nil
        timer = try loop.timer { [unowned self] in proceed() }
        try narration?.takeTerminal(loop)
    }

    /// The timeline up to the end of the program; `nil` if it is not recorded.
    var timeline: Timeline? { stage.timeline }

    /// Runs until the program has ended, or without one until the last step.
    ///
    /// Returns the program's exit code, or 128 plus the signal that ended it; 0 for the SIGTERM of the step `end`.
    func run() throws -> Int32 {
        timer?.fire(after: .zero)
        try session.loop.run()
        narration?.leaveTerminal()
        if let failure { throw failure }
        try stage.pass(.zero)
        let unrecorded = try stage.unrecordedNames()
        if let first = unrecorded.first {
            let names = StatusTables.list(unrecorded, separator: ", ")
            Console.error("reveille: the picture leaves out \(names); the step 'expect \(first) …' adds a name to it")
        }
        guard let code = session.exitCode else { return session.signal.map { 128 + $0 } ?? EXIT_SUCCESS }
        try finishExpectations(code)
        if report?.hasFailures == true { return Failure.Code.failure.rawValue }
        return isEnded && code == 128 + SIGTERM ? 0 : code
    }

    /// Checks the expectations that come next when the program ends; expectations after any other step are not met.
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
                        ? "the program ended early, with exit code \(code)" : stage.contradiction(to: expectation))
            } catch {
                throw scenario.failure(error, at: line)
            }
        }
    }

    /// Reports an expectation; without a report, throws if it is not met.
    private func settle(_ line: Scenario.Line, _ contradiction: String?) throws {
        if report == nil, let contradiction { throw Failure(.failure, contradiction) }
        try report?.record(line, contradiction)
    }

    private func proceed() {
        if failure != nil {
            // The program has not ended within the grace period.
            session.signal(SIGKILL)
            return
        }
        guard next < scenario.lines.count else {
            if command.isEmpty { session.loop.exit() }
            return
        }
        let line = scenario.lines[next]
        do {
            if let narration, !isBegun {
                isBegun = true
                timer?.fire(after: try narration.begin(line))
                return
            }
            let pause = try perform(line.step)
            if pause == nil {
                next += 1
                isBegun = false
                rounds = 0
                deadline = nil
            }
            timer?.fire(after: pause ?? .zero)
        } catch {
            fail(scenario.failure(error, at: line))
        }
    }

    private func fail(_ failure: Failure) {
        self.failure = failure
        // An error is ignored because the failure is also reported on stderr.
        if report != nil { try? Console.line("Bail out! \(failure)") }
        guard session.isRunning else { return session.loop.exit() }
        session.signal(SIGTERM)
        timer?.fire(after: Self.grace)
    }

    /// Performs a step, or a part of it; returns the pause before the rest, or `nil` if the step is done.
    private func perform(_ step: ScenarioStep) throws -> Duration? {
        switch step {
        case .start: try start()
        case .end:
            isEnded = true
            session.signal(SIGTERM)
        case .wait(let time):
            let parts = timeline == nil ? 1 : max(1, Int((time / Self.glance).rounded(.up)))
            if rounds > 0 { try stage.pass(time / parts) }
            rounds += 1
            return rounds > parts ? nil : time / parts
        case .waitSubscribed(let count):
            return try wait("fewer than \(Count.text(count, "subscription"))") {
                try stage.subscriptionCount() >= count
            }
        case .waitDelivered:
            if rounds == 0 { try stage.refresh() }
            return try wait("a subscriber did not read all changes") { try stage.isDelivered() }
        case .expect(let expectation): return try expect(expectation, scenario.lines[next])
        case .burst(let count):
            let chunk = min(count - rounds, Self.burstChunk)
            try stage.phone.burst(chunk)
            rounds += chunk
            guard rounds == count else { return .zero }
            try stage.perform(step)
        default: try stage.perform(step)
        }
        return nil
    }

    private func start() throws {
        guard !command.isEmpty else { return }
        try session.start(
            command, environment: stage.phone.environment,
            descriptors: report == nil ? [:] : [STDOUT_FILENO: STDERR_FILENO]
        ) { [unowned self] in
            session.exitCode = $0
            session.loop.exit()
        }
    }

    private func expect(_ expectation: Expectation, _ line: Scenario.Line) throws -> Duration? {
        let contradiction = try stage.contradiction(to: expectation)
        if contradiction != nil && hasTime { return Self.pause }
        try settle(line, contradiction)
        return nil
    }

    /// Whether the current step has time for another check, which is then counted.
    private var hasTime: Bool {
        rounds += 1
        let now = ContinuousClock.now
        let deadline = deadline ?? now + patience
        self.deadline = deadline
        return now < deadline
    }

    private func wait(_ otherwise: String, until condition: () throws -> Bool) throws -> Duration? {
        if try condition() { return nil }
        guard hasTime else {
            throw Failure(.timeout, "\(otherwise) within \(Seconds.text(patience / .seconds(1)))")
        }
        return Self.pause
    }
}
