// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// `reveille simulate`: programs of other languages, on phones that follow scenarios.
@Suite(.timeLimit(.minutes(5))) struct SimulateTests {
    private static let python: [String] = {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        return ["python3", "/" + folder + "/Python/phone_program.py"]
    }()

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func simulate(_ scenario: String, options: [String] = [], _ command: [String]) throws -> ProgramRun {
        try directory.write(scenario, to: "scenario")
        let arguments = ["simulate"] + options + [directory.path + "/scenario", "--"] + command
        return try ProgramRun(arguments, in: directory)
    }

    /// Starts it, and gives what its program reads.
    private func start(_ scenario: String, _ command: [String]) throws -> (process: ChildProcess, input: Pipe) {
        try directory.write(scenario, to: "scenario")
        let input = try Pipe()
        let output = open(directory.path + "/stdout", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let errors = open(directory.path + "/stderr", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer {
            close(output)
            close(errors)
        }
        let process = try ChildProcess(
            [BusProcess.program, "simulate", directory.path + "/scenario", "--"] + command,
            environment: ChildProcess.environment,
            descriptors: [0: input.readingEnd, 1: output, 2: errors])
        return (process, input)
    }

    private func wait(for text: String, in file: String) throws {
        let deadline = Deadline(seconds: 60)
        while !directory.read(file).contains(text) {
            guard !deadline.hasPassed else { throw Trouble("\(file) has no \(text): \(directory.read(file))") }
            deadline.pause()
        }
    }

    @Test("a Python program that slept through a burst is told once") func pythonProgramSleeps() throws {
        let scenario = """
            wait subscribed
            level 0.5
            wait delivered
            background
            burst 100
            level 0.1
            foreground
            """
        let run = try simulate(scenario, Self.python)
        #expect(run.code == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.first == "0.5 1")
        #expect(lines.count == 2, "\(run.output)")
        #expect(lines.last?.hasPrefix("0.1 ") == true)
    }

    @Test("a shell program sees every aspect change once") func shellProgramSeesAll() throws {
        let scenario = """
            # Before it starts, the phone may be another.
            remove proximity
            level 0.5
            start
            wait subscribed
            level 0.2
            rotate faceDown
            add proximity
            locale de_DE.UTF-8
            settings app.json {"theme": "dark"}
            """
        let script = "\"$0\" watch --json --count 5 --timeout 60 | sed 's/.*\"aspect\":\"\\([a-z]*\\)\".*/\\1/' | sort"
        let run = try simulate(scenario, ["sh", "-c", script, BusProcess.program])
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output == "battery\ndefaults\nlocale\norientation\nproximity\n")
    }

    @Test("packs come and go, the charger is plugged in, and the bus starts again") func partsComeAndGo() throws {
        let scenario = """
            add battery2
            level 1 battery2
            remove battery
            plug
            start
            wait subscribed
            restart
            """
        // The stream ends with the bus; then there is a new one.
        let script = """
            "$0" watch battery --once; echo $?
            until "$0" refresh; do :; done
            "$0" get battery --json
            """
        let run = try simulate(scenario, ["sh", "-c", script, BusProcess.program])
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("69\n"))
        #expect(run.output.contains(#""name":"battery2""#) && !run.output.contains(#""name":"battery""#))
        #expect(run.output.contains(#""plugged":true"#))
    }

    @Test("the exit code is the program's", arguments: [("exit 5", 5), ("kill -KILL $$", 137)])
    func exitCodeIsTheProgramsOwn(script: String, code: Int32) throws {
        #expect(try simulate("wait subscribed", ["sh", "-c", script]).code == code)
    }

    @Test("the step end ends the program") func endEndsTheProgram() throws {
        #expect(try simulate("wait subscribed\nend", Self.python).code == 9)
    }

    @Test("a signal is passed on", arguments: [SIGTERM, SIGINT]) func signalIsPassedOn(signal: Int32) throws {
        let (process, input) = try start("", Self.python)
        try wait(for: "ready", in: "stderr")
        process.signal(signal)
        #expect(process.wait() == 9)
        withExtendedLifetime(input) {}
    }

    @Test("a bus whose owner is killed ends") func busEndsWithItsOwner() throws {
        let (process, input) = try start("", ["sh", "-c", "echo $REVEILLE_ADDRESS.; exec cat"])
        try wait(for: ".", in: "stdout")
        let address = directory.read("stdout").dropFirst("unix:".count).dropLast(2)
        let client = try RawClient(String(address))
        try client.call("GetState")
        process.signal(SIGKILL)
        process.wait()
        #expect(try client.receiveText(seconds: 60) == nil)
        // And cat with its input.
        input.closeWritingEnd()
    }

    @Test(
        "a step that fails ends the program and says why",
        arguments: [
            ("remove charger\nstart\nwait subscribed\nplug", 1, "scenario:4: plug: the phone has no charger"),
            ("wait subscribed\nadd battery4", 78, "scenario:2: add battery4: there is no battery4; the next to add"),
            ("wait subscribed 2", 124, "scenario:1: wait subscribed 2: fewer than 2 subscribed within"),
        ])
    func failingStepEndsTheProgram(scenario: String, code: Int32, message: String) throws {
        let run = try simulate(scenario, options: ["--patience", code == 124 ? "0.1" : "60"], Self.python)
        #expect(run.code == code)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test("a program that cannot be started is said") func missingProgramIsSaid() throws {
        let run = try simulate("", ["/there/is/no/such/program"])
        #expect(run.code == 127)
        #expect(run.errors.contains("/there/is/no/such/program"))
    }

    @Test(
        "a scenario that is wrong names its line and what was expected",
        arguments: [
            ("\n# comment\n  jump", "scenario:3: expected one of start, wait, level"),
            ("level 20", "scenario:1: expected level 0..1 [BATTERY], not \"level 20\""),
            ("level 0.2 charger", "scenario:1: expected level"), ("level nan", "scenario:1: expected level"),
            ("rotate unknown", "scenario:1: expected rotate portrait|"), ("plug in", "scenario:1: expected plug,"),
            ("wait", "scenario:1: expected wait SECONDS"), ("wait -1", "scenario:1: expected wait SECONDS"),
            ("wait subscribed none", "scenario:1: expected wait SECONDS"),
            ("locale", "scenario:1: expected locale NAME"),
            ("settings app.json", "scenario:1: expected settings FILE TEXT"),
            ("settings ../../x 1", "scenario:1: expected settings FILE TEXT"),
            ("burst 0", "scenario:1: expected burst"),
            ("add battery1", "scenario:1: expected add"), ("remove phone", "scenario:1: expected remove"),
            ("start\nstart", "scenario:2: expected one start only"),
            ("end\nstart", "scenario:1: expected start before"),
        ])
    func wrongScenarioNamesItsLine(scenario: String, message: String) throws {
        let run = try simulate(scenario, ["true"])
        #expect(run.code == 78)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test("usage is checked: no program, no file") func usageIsChecked() throws {
        #expect(try simulate("", []).code == 64)
        let missing = try ProgramRun(["simulate", directory.path + "/missing", "--", "true"], in: directory)
        #expect(missing.code == 78)
        #expect(missing.errors.contains("missing: No such file"))
    }
}
