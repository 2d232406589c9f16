// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import ReveilleConsole
import ReveilleCore
import ReveilleSystem

struct DemoCommand: GuardedCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Demonstrate delivery to a sleeping subscriber on a synthetic phone.",
        discussion: """
            Plays a scenario of 'reveille simulate': a real bus watches real files, and synthetic devices (umockdev) \
            through the real libudev. The scenario publishes a state of its own too, the volume of a player. Of two \
            subscribers, one is awake and one is asleep. Everything changes, dozens of times; then the sleeper wakes. \
            Exits automatically: with 0, or with 1 if an event is missing or wrong. On a terminal, it takes ten \
            seconds, and any key ends the waiting.
            """)

    /// The timeout of each expectation; a working bus meets all at once.
    private static let patience: Duration = .seconds(10)

    func perform() throws {
        let code = try play()
        if code != EXIT_SUCCESS { Signals.die(by: code - 128) }
    }

    /// Returns 0, or 128 plus the signal that ended the scenario.
    private func play() throws -> Int32 {
        let scenario = try Scenario(PackageResources.demo_scenario, file: "demo.scenario")
        let narration = Narration(of: scenario)
        let simulation = try Simulation(scenario, patience: Self.patience, narration: narration)
        let code = try simulation.run()
        if code == EXIT_SUCCESS { try narration.end() }
        return code
    }
}

/// The events of a scenario's two subscribers, as lines of text at a pace for people.
final class Narration {
    /// The pause after each change on a terminal: long enough to read along, and short enough for dozens of changes.
    private static let pace: Duration = .milliseconds(150)
    /// The pause before the wake on a terminal, long enough to read the line above.
    private static let breath: Duration = .seconds(1)
    /// The width of the longest state of a phone; remarks on steps begin to its right.
    private static let stateColumns = 24

    private let column: Int
    private var job: TerminalJob?
    private var isPaced = Console.isTerminal
    private var remark = ""
    private var awake = 0
    private var asleep: (events: Int, changes: Int) = (0, 0)
    /// The changes that wait for the sleeper, shown below the events on a terminal.
    private var waiting: [Aspect: Int] = [:]
    private let prompt = PromptLine()

    init(of scenario: Scenario) {
        column = EventText.column(for: AspectSet(scenario.recordedAspects).union(.default).aspects)
    }

    /// Reads keys; any key ends all pauses.
    func takeTerminal(_ loop: EventLoop) throws(SystemError) {
        guard Console.isInteractive else { return }
        let job = TerminalJob(loop)
        job.onKeys = { [unowned self] _ in isPaced = false }
        job.onEnd = { [unowned self] _ in isPaced = false }
        try job.start()
        self.job = job
    }

    func leaveTerminal() {
        prompt.hide(isOurs: true)
        job?.leave()
    }

    /// Prints the text before a step, and returns the pause before it.
    func begin(_ line: Scenario.Line) throws(Failure) -> Duration {
        remark = line.remark
        switch line.step {
        case .background:
            try Console.line(Style.bold("A synthetic phone, a bus, and two subscribers: one awake, one asleep."))
            try Console.line("")
            if job != nil { prompt.show() }
        case .foreground:
            prompt.hide(isOurs: true)
            try Console.line("")
            try Console.line("The awake subscriber received \(awake) events, the sleeper none. Now it wakes:")
            try Console.line("")
            return isPaced ? Self.breath : .zero
        default: break
        }
        return isPaced && !remark.isEmpty ? Self.pace : .zero
    }

    func print(awake: [Event], asleep: [Event]) throws(Failure) {
        for event in awake {
            let line = EventText.line(event, column: column).padded(to: column + Self.stateColumns)
            try prompt.print { () throws(Failure) in
                try Console.line("  " + Style.cyan("live     ") + line + Style.dim("  \(remark)"))
            }
            waiting[event.aspect, default: 0] += 1
        }
        let counts = waiting.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
        prompt.set("  " + Style.yellow("sleeper  ") + "waiting: ", counts.joined(separator: ", "))
        for event in asleep {
            try Console.line("  " + Style.yellow("sleeper  ") + EventText.line(event, column: column))
        }
        self.awake += awake.count
        self.asleep.events += asleep.count
        self.asleep.changes += asleep.reduce(0) { $0 + $1.changeCount }
    }

    func end() throws(Failure) {
        try Console.line("")
        try Console.line(
            Style.green(
                """
                \(asleep.changes) changes, \(asleep.events) events: one for each aspect, with its current state and \
                the number of merged changes.
                """))
    }
}
