// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// `reveille on`: when its command runs.
@Suite(.blocking, .timeLimit(.minutes(10))) struct OnTests {
    let scene: OnScene

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
        #expect(run.reports.isEmpty)
    }

    @Test("no time is missed while the command runs, and runs do not overlap") func noTimeIsMissed() throws {
        let gate = scene.path("gate")
        let log = scene.path("runs")
        let script = "echo start >>\(log); cat; read line <\(gate); echo end >>\(log)"
        #expect(mkfifo(gate, 0o600) == 0)
        let run = try scene.start([], ["sh", "-c", script])
        try scene.post(0.09)
        try scene.waitForRuns(of: run, at: [0.09])
        try scene.post(0.5, 0.08, 0.07, 0.6, 0.06, 0.7)
        for levels in [[0.09, 0.08], [0.09, 0.08, 0.06]] {
            try finishRun(at: gate)
            try scene.waitForRuns(of: run, at: levels)
        }
        try finishRun(at: gate)
        try scene.post(0.05)
        try scene.waitForRuns(of: run, at: [0.09, 0.08, 0.06, 0.05])
        try finishRun(at: gate)
        var lines: [Substring] = []
        try wait(for: "the last end, not \(lines)") {
            lines = scene.bus.directory.read("runs").split(separator: "\n")
            return lines.count == 8
        }
        #expect(lines == (0..<4).flatMap { _ in ["start", "end"] })
    }

    @Test("a restart of the bus repeats nothing and misses nothing")
    func restartOfTheBusRepeatsNothing() throws {
        let phone = try SyntheticPhone()
        let scene = OnScene(try BusProcess(on: phone))
        let run = try scene.start()
        func restart() throws {
            scene.bus.process.signal(SIGKILL)
            scene.bus.process.wait()
            try scene.bus.restart()
            try wait(for: "the subscription") { try scene.subscription(of: run) != nil }
        }
        func set(_ level: Double) throws {
            try phone.battery.setLevel(level)
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
        scene.bus.process.signal(SIGKILL)
        scene.bus.process.wait()
        try phone.battery.setLevel(0.06)
        try scene.bus.restart()
        try scene.waitForRuns(of: run, at: [0.09, 0.07, 0.06])
        try wait(for: "a message") { run.errors.contains("waiting for the bus to return") }
        try wait(for: "another message") { run.errors.contains("reconnected to the bus") }
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
        #expect(run.reports == "reveille: sh: exit code 3\n" + (code == 0 ? "" : "reveille: sh: exit code \(code)\n"))
    }

    @Test("a program that ends before the count of runs fails") func endBeforeTheCountIsAFailure() throws {
        let run = try scene.start(["--count", "1"])
        #expect(run.stop() == 128 + SIGTERM)
    }

    /// Lets a command continue that reads a pipe.
    private func finishRun(at gate: String) throws {
        var number: Int32 = -1
        try wait(for: "the command to wait") {
            number = open(gate, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            return number >= 0
        }
        close(number)
    }

    /// A program that forwards all connections to a bus, and ends the first one on which the history is asked for.
    private static let relay = """
        import os, socket, sys, threading
        has_ended = False
        def forward(source, target):
            global has_ended
            while data := source.recv(65536):
                if b"GetHistory" in data and not has_ended:
                    has_ended = True
                    break
                target.sendall(data)
            for end in (source, target):
                try: end.shutdown(socket.SHUT_RDWR)
                except OSError: pass
        server = socket.socket(socket.AF_UNIX)
        server.bind(sys.argv[1] + ".new")
        server.listen()
        os.rename(sys.argv[1] + ".new", sys.argv[1])
        while True:
            client, _ = server.accept()
            bus = socket.socket(socket.AF_UNIX)
            bus.connect(sys.argv[2])
            for pair in ((client, bus), (bus, client)):
                threading.Thread(target=forward, args=pair, daemon=True).start()
        """

    @Test("no time is missed if the connection ends while the merged changes are looked up")
    func lookUpIsRepeated() throws {
        let relay = try ChildProcess(
            ["python3", "-c", Self.relay, scene.path("relay"), scene.bus.socket], environment: Environment.all)
        defer { relay.signal(SIGKILL) }
        try wait(for: "the relay") { access(scene.path("relay"), F_OK) == 0 }
        #expect(mkfifo(scene.path("gate"), 0o600) == 0)
        let run = try RunningProgram(
            ["on"] + scene.low + ["--", "sh", "-c", "cat; read line <\(scene.path("gate"))"], in: scene.bus.directory,
            environment: ["REVEILLE_ADDRESS": "unix:" + scene.path("relay")])
        try wait(for: "the subscription") { try scene.bus.client().subscriptions().count == 1 }
        try scene.post(0.09)
        try scene.waitForRuns(of: run, at: [0.09])
        try scene.post(0.5, 0.08, 0.5, 0.07)
        for levels in [[0.09, 0.08], [0.09, 0.08, 0.07]] {
            try finishRun(at: scene.path("gate"))
            try scene.waitForRuns(of: run, at: levels)
        }
        try finishRun(at: scene.path("gate"))
        try wait(for: "a message") { run.errors.contains("reconnected") }
        #expect(run.stop() == 0)
    }
}
