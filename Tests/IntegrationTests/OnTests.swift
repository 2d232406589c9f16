// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// `reveille on`: when its command runs.
@Suite(.blocking, .timeLimit(.minutes(10))) struct OnTests {
    private let scene: OnScene

    init() throws {
        scene = try OnScene()
    }

    @Test("the command runs once for each time that the condition becomes true") func commandRunsOncePerTransition()
        throws
    {
        let run = try scene.start()
        try scene.post(0.5, 0.09)
        try scene.waitForRuns(of: run, at: [0.09])
        try scene.post(0.08, 0.07, 0.5)
        try scene.post(0.06)
        try scene.waitForRuns(of: run, at: [0.09, 0.06])
        #expect(run.stop() == 0)
        #expect(run.errors.isEmpty)
    }

    @Test("no time is missed while the command runs, and runs do not overlap") func noTimeIsMissed() throws {
        let gate = scene.path("gate")
        let log = scene.path("runs")
        let script = "echo start >>\(log); cat; read line <\(gate); echo end >>\(log)"
        #expect(mkfifo(gate, 0o600) == 0)
        let run = try scene.start([], ["sh", "-c", script])
        func finishRun() throws {
            var number: Int32 = -1
            try wait(for: "the command to wait") {
                number = open(gate, O_WRONLY | O_NONBLOCK)
                return number >= 0
            }
            close(number)
        }
        try scene.post(0.09)
        try scene.waitForRuns(of: run, at: [0.09])
        try scene.post(0.5, 0.08, 0.07, 0.6, 0.06, 0.7)
        for levels in [[0.09, 0.08], [0.09, 0.08, 0.06]] {
            try finishRun()
            try scene.waitForRuns(of: run, at: levels)
        }
        try finishRun()
        try scene.post(0.05)
        try scene.waitForRuns(of: run, at: [0.09, 0.08, 0.06, 0.05])
        try finishRun()
        var lines: [Substring] = []
        try wait(for: "the last end, not \(lines)") {
            lines = scene.bus.directory.read("runs").split(separator: "\n")
            return lines.count == 8
        }
        #expect(lines == (0..<4).flatMap { _ in ["start", "end"] })
    }

    @Test("no time is missed in the background") func noTimeIsMissedInTheBackground() throws {
        let run = try scene.start()
        let name = String(run.process.pid)
        #expect(try scene.bus.run(["background", name]).code == 0)
        try scene.post(0.09, 0.5, 0.08, 0.5, 0.07)
        #expect(try scene.bus.run(["foreground", name]).code == 0)
        try scene.waitForRuns(of: run, at: [0.09, 0.08, 0.07])
    }

    @Test("a condition that is true at the start runs the command once") func conditionIsTrueAtTheStart() throws {
        try scene.post(0.09)
        let run = try scene.start()
        try scene.waitForRuns(of: run, at: [0.09])
        #expect(try scene.events(of: run).first?.integer("changes") == 0)
        try scene.post(0.08, 0.5, 0.07)
        try scene.waitForRuns(of: run, at: [0.09, 0.07])
    }

    @Test("a restart of the bus repeats nothing and misses nothing", arguments: [SIGKILL, SIGTERM])
    func restartOfTheBusRepeatsNothing(signal: Int32) throws {
        let phone = try SyntheticPhone()
        let scene = OnScene(try BusProcess(on: phone))
        let run = try scene.start()
        func restart() throws {
            scene.bus.process.signal(signal)
            scene.bus.process.wait()
            try scene.bus.restart()
            try wait(for: "the subscription") { try scene.subscription(of: run) != nil }
        }
        func set(_ level: Double) throws {
            phone.battery.level = level
            try wait(for: "the level \(level)") { try scene.bus.client().state(of: "battery").level == level }
        }
        try set(0.09)
        try scene.waitForRuns(of: run, at: [0.09])
        // Still true.
        try restart()
        for level in [0.08, 0.5, 0.07] { try set(level) }
        try scene.waitForRuns(of: run, at: [0.09, 0.07])
        // It becomes true while there is no bus.
        try set(0.5)
        scene.bus.process.signal(signal)
        scene.bus.process.wait()
        phone.battery.level = 0.06
        try scene.bus.restart()
        try scene.waitForRuns(of: run, at: [0.09, 0.07, 0.06])
        #expect(run.errors.contains("waiting for the bus to return"))
        #expect(run.errors.contains("reconnected to the bus"))
    }

    @Test("a published name has conditions on fields of any shape") func publishedNameHasConditions() throws {
        let run = try scene.start(condition: [
            "org.example.player", "track.title == 'two words' and not paused == true",
        ])
        let client = try scene.bus.client()
        for value in [
            #"{}"#, #"{"track":3}"#, #"{"track":{"title":"two words"}}"#,
            #"{"track":{"title":"two words"},"paused":true}"#,
            #"null"#, #"{"paused":0,"track":{"title":"two words"}}"#,
        ] {
            let reply = try client.call("Publish", #"{"aspect":"org.example.player","value":\#(value)}"#)
            #expect(reply.error == nil)
        }
        try wait(for: "two runs") { try scene.events(of: run).count == 2 }
        #expect(try scene.events(of: run).map { $0.integer("generation") } == [3, 6])
    }

    @Test("the count of runs ends the program with the exit code of the last one", arguments: [0, 7])
    func countEndsTheProgram(code: Int) throws {
        let script = "cat; test $REVEILLE_CHANGES = 0 || exit \(code); exit 3"
        try scene.post(0.09)
        let run = try scene.start(["--count", "2"], ["sh", "-c", script])
        try scene.waitForRuns(of: run, at: [0.09])
        try scene.post(0.5, 0.08, 0.5, 0.07)
        #expect(run.process.wait() == Int32(code))
        try scene.waitForRuns(of: run, at: [0.09, 0.08])
        #expect(run.errors == "reveille: sh: exit code 3\n" + (code == 0 ? "" : "reveille: sh: exit code \(code)\n"))
    }

    @Test("a program that ends before the count of runs fails") func endBeforeTheCountIsAFailure() throws {
        let run = try scene.start(["--count", "1"])
        #expect(run.stop() == 128 + SIGTERM)
        #expect(
            try RunningProgram(["on", "--count", "0"] + scene.low + ["--", "true"], in: scene.bus.directory).process
                .wait() == 64)
    }
}
