// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// A life of rules from a seed: changes of a name while programs are killed, stopped and started, and what ran.
///
/// One rule has a condition, whose command writes the number of the value that made it true. The other has a time.
final class RulesLife {
    private static let name = "org.example.player"
    private static let rules = #"""
        org.example.player 'playing == true' -- sh -c 'n=$("$LOGS/member" n); echo "$n $PPID" >>"$LOGS/begun"; if [ -e "$LOGS/held$n" ]; then read line <"$LOGS/gate"; fi'
        every 1s -- sh -c 'echo "$REVEILLE_CHANGES $("$LOGS/member" generation)" >>"$LOGS/firings"'
        """#

    private struct Run: Equatable {
        /// The number of the value.
        let number: Int
        /// The process that ran the command; 1 if it had ended already.
        let program: Int
    }

    private let choices: Choices
    private let scene: RulesScene
    /// The instance of the bus at the start.
    private let instance: String
    private var number = 0
    private var isPlaying = false
    /// The numbers with which the condition was true.
    private var playing: Set<Int> = []
    /// Those that made it true.
    private var expected: Set<Int> = []
    /// The numbers that may have run or not, because the bus forgot the changes before them.
    private var forgotten: Set<Int> = []
    private var hasEndedProgram = false

    init(seed: UInt64) throws {
        choices = Choices(seed: seed)
        scene = try RulesScene(Self.rules)
        try #require(mkfifo(scene.path("gate"), 0o600) == 0)
        try scene.start()
        instance = try scene.bus.client().instance()
    }

    func run(steps: Int) throws {
        for _ in 0..<steps {
            switch choices.number(below: 10) {
            case 0, 1, 2: try publish(upTo: 4)
            case 3: try settle()
            case 4: try restartRules(by: SIGKILL)
            case 5: try restartRules(by: SIGTERM)
            case 6: try killDuringARun()
            case 7: try restartBus()
            case 8: try reloadDuringARun()
            default: try pauseRules()
            }
        }
        try settle()
        check()
        try checkFirings()
    }

    private var runs: [Run] {
        scene.lines("begun").compactMap { line in
            let words = line.split(separator: " ").compactMap { Int($0) }
            return words.count == 2 ? Run(number: words[0], program: words[1]) : nil
        }
    }

    private func publish(_ playing: Bool) throws {
        number += 1
        if playing && !isPlaying { expected.insert(number) }
        isPlaying = playing
        if playing { self.playing.insert(number) }
        try scene.publish(Self.name, #"{"n":\#(number),"playing":\#(playing)}"#)
    }

    private func publish(upTo limit: Int) throws {
        for _ in 0...choices.number(below: limit) { try publish(choices.happens(onceIn: 2)) }
    }

    /// Makes the condition true once more, and waits for that run, which follows all others.
    private func settle() throws {
        try publish(false)
        try publish(true)
        try wait(for: "the run of \(number), not \(runs); \(scene.program?.errors ?? "")") {
            runs.contains { $0.number == number }
        }
        try publish(false)
        try wait(for: "its end to be stored") {
            try scene.stored()?["rules"]?.arrayValue?.first?.objectValue?["isTrue"] == false
        }
    }

    /// Ends the program, perhaps during a run, and starts it after some changes.
    private func restartRules(by signal: Int32) throws {
        try endRules(by: signal)
        if choices.happens(onceIn: 2) { try publish(upTo: 5) }
        try scene.start()
    }

    private func endRules(by signal: Int32) throws {
        let program = try #require(scene.program)
        program.process.signal(signal)
        program.process.wait()
        hasEndedProgram = true
    }

    /// Begins a run that lasts until the result is called.
    private func beginRun() throws -> () -> Void {
        try settle()
        // For this run alone: the one before may not have looked yet.
        let held = "held\(number + 1)"
        try scene.bus.directory.write("", to: held)
        try publish(true)
        try wait(for: "the run of \(number)") { runs.contains { $0.number == number } }
        var gate: Int32 = -1
        try wait(for: "the command to wait") {
            gate = open(scene.path("gate"), O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            return gate >= 0
        }
        unlink(scene.path(held))
        return { close(gate) }
    }

    /// Kills the program while its command runs, so that the run is repeated.
    private func killDuringARun() throws {
        let end = try beginRun()
        try endRules(by: SIGKILL)
        // The command has no parent any more.
        end()
        try scene.start()
        try wait(for: "the run again") { runs.count { $0.number == number } == 2 }
    }

    /// Changes the file while its command runs: the next subscription delivers the change of the run again.
    private func reloadDuringARun() throws {
        let end = try beginRun()
        let program = try #require(scene.program)
        func loads() -> Int { program.errors.ranges(of: ": 2 rules").count }
        let before = loads()
        for isPlaying in [false, true] { try publish(isPlaying) }
        try scene.write(Self.rules + "\n# \(number)")
        try wait(for: "the file to be read again: \(program.errors)") { loads() > before }
        end()
    }

    /// Restarts the bus, alone or with the rules as in a reboot.
    ///
    /// Its history begins anew, so that all changes before count as one.
    private func restartBus() throws {
        let isReboot = choices.happens(onceIn: 2)
        if isReboot { try endRules(by: choices.one(of: [SIGKILL, SIGTERM])) }
        if choices.happens(onceIn: 2) { try publish(upTo: 3) }
        if choices.happens(onceIn: 3) {
            try scene.bus.waitUntilSaved()
            scene.bus.kill()
        } else {
            #expect(scene.bus.stop() == 0)
        }
        // What is left of changes that nobody looked at is a state, of the last one or of one that was on its way.
        let last = runs.map(\.number).max() ?? 0
        forgotten.formUnion(expected.subtracting(runs.map(\.number)).union(playing.filter { $0 > last }))
        try scene.bus.restart()
        if isReboot { try scene.start() } else { try scene.waitUntilFollowed() }
    }

    private func pauseRules() throws {
        let program = try #require(scene.program)
        program.process.signal(SIGSTOP)
        try publish(upTo: 6)
        program.process.signal(SIGCONT)
    }

    private func check() {
        let runs = runs
        let unexpected = Set(runs.map(\.number)).subtracting(expected.union(forgotten))
        #expect(unexpected.isEmpty, "ran without becoming true: \(runs)")
        let missing = expected.subtracting(forgotten).subtracting(runs.map(\.number))
        #expect(missing.isEmpty, "not run: \(runs)")
        // A run is repeated only if it was the last one of a program, and it is the first one of the next.
        let programs = Dictionary(grouping: runs, by: \.program).filter { $0.key != 1 }
        for (program, own) in programs {
            #expect(Set(own.map(\.number)).count == own.count, "twice by \(program): \(runs)")
            for run in own.dropFirst() {
                #expect(
                    !runs.contains { $0.number == run.number && $0.program != program && isBefore($0, run, in: runs) },
                    "\(run) again: \(runs)")
            }
        }
    }

    private func isBefore(_ one: Run, _ other: Run, in runs: [Run]) -> Bool {
        (runs.firstIndex(of: one) ?? 0) < (runs.firstIndex(of: other) ?? 0)
    }

    /// Each firing was part of a run, and of one only, except if a program was ended; unless the bus began anew.
    private func checkFirings() throws {
        guard try scene.bus.client().instance() == instance else { return }
        let runs = scene.lines("firings").map { $0.split(separator: " ").compactMap { Int($0) } }
        let first = runs.map { $0[1] - $0[0] }.min() ?? 0
        var seen = Array(repeating: 0, count: (runs.map { $0[1] }.max() ?? 0) - first)
        for run in runs { for firing in (run[1] - run[0])..<run[1] { seen[firing - first] += 1 } }
        #expect(seen.allSatisfy { $0 >= 1 }, "lost: \(runs)")
        #expect(hasEndedProgram || seen.allSatisfy { $0 <= 1 }, "twice: \(runs)")
    }
}

@Suite(.blocking, .timeLimit(.minutes(30))) struct RulesLifeTests {
    /// The seeds of lives that take about a second each; `REVEILLE_SEEDS=N` changes their number.
    private static let seeds = 1...(getenv("REVEILLE_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 10)

    @Test(
        "B226: each time that a condition became true ran its command once, and again only after an end during the run",
        arguments: seeds)
    func lives(seed: UInt64) throws {
        try RulesLife(seed: seed).run(steps: 12)
    }
}
