// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// `reveille publish --while`: the state exists for as long as a command runs.
@Suite(.blocking, .timeLimit(.minutes(10))) struct PublishWhileTests {
    private static let name = "org.example.job"

    private let bus: BusProcess

    init() throws {
        bus = try BusProcess()
    }

    private var environment: [String: String] { ["R": BusProcess.program, "REVEILLE_ADDRESS": bus.address] }

    private func arguments(_ command: [String]) -> [String] {
        ["publish", Self.name, #"{"step": 1}"#, "--while"] + command
    }

    private func run(_ command: [String]) throws -> ProgramRun {
        try ProgramRun(arguments(command), in: bus.directory, environment: environment)
    }

    /// Starts a Python program that prints its process ID once it runs, and waits until it has done so.
    private func startPython(_ script: String) throws -> (run: RunningProgram, pid: Int32) {
        let run = try RunningProgram(
            arguments(["python3", "-c", "import os, signal, sys; \(script)"]), in: bus.directory,
            environment: environment)
        try wait(for: "the command to start") { run.output.hasSuffix("\n") }
        return (run, try #require(Int32(run.output.dropLast())))
    }

    private func value() throws -> JSON? {
        try bus.client().state(of: Self.name)["value"]
    }

    @Test func stateIsPublishedWhileTheCommandRuns() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["\#(Self.name)"]}"#)
        let run = try run(["sh", "-c", "$R get \(Self.name); exit 7"])
        #expect(run.output == "\(Self.name)  {\"step\":1}\n", "nothing but the command's own output")
        #expect(run.errors.isEmpty)
        #expect(run.code == 7)
        // A connection that is made after the end never sees the state.
        #expect(try value() == .null)
        #expect(try subscriber.next().map { $0["value"] } == [["step": 1]])
        #expect(try subscriber.next().map { $0["value"] } == [.null])
    }

    @Test(arguments: [["echo", "--json", "-x"], ["--", "echo", "--json", "-x"]])
    func allFurtherArgumentsBelongToTheCommand(command: [String]) throws {
        #expect(try run(command).output == "--json -x\n")
    }

    @Test(arguments: [SIGHUP, SIGTERM]) func signalsArePassedOn(signal: Int32) throws {
        let handling = try startPython(
            "signal.signal(\(signal), lambda *_: sys.exit(5)); print(os.getpid(), flush=True); signal.pause()")
        #expect(try value() == ["step": 1])
        handling.run.process.signal(signal)
        #expect(handling.run.process.wait() == 5)
        #expect(try value() == .null)
        let dying = try startPython(
            "signal.signal(\(signal), signal.SIG_DFL); print(os.getpid(), flush=True); signal.pause()")
        dying.run.process.signal(signal)
        #expect(dying.run.process.wait() == 128 + signal)
        #expect(dying.run.errors.isEmpty)
    }

    @Test func killingTheProgramWithdrawsTheState() throws {
        let (run, pid) = try startPython("print(os.getpid(), flush=True); signal.pause()")
        #expect(try value() == ["step": 1])
        run.process.signal(SIGKILL)
        #expect(run.process.wait() == 128 + SIGKILL)
        try wait(for: "the state to be withdrawn") { try value() == .null }
        kill(pid, SIGKILL)
    }

    @Test func stateIsPublishedAgainAfterARestartOfTheBus() throws {
        let (run, _) = try startPython("print(os.getpid(), flush=True); signal.pause()")
        #expect(bus.stop() == 0)
        try bus.restart()
        try wait(for: "the state") { try value() == ["step": 1] }
        #expect(run.stop() == 128 + SIGTERM)
        #expect(run.errors.isEmpty, "\(run.errors)")
        try wait(for: "the state to be withdrawn") { try value() == .null }
    }

    @Test(arguments: [("/nowhere/command", "No such file or directory"), ("/etc/passwd", "Permission denied")])
    func commandThatCannotBeStartedPublishesNothing(command: String, reason: String) throws {
        let subscriber = try bus.subscribe(#"{"aspects":["\#(Self.name)"]}"#)
        let run = try run([command])
        #expect(run.code == 127)
        #expect(run.errors.contains("\(command): \(reason)"), "\(run.errors)")
        let fence = try bus.client()
        try fence.fence()
        #expect(subscriber.client.isSilent)
    }

    @Test func commandIsNotStartedIfTheStateIsRefused() throws {
        let bus = try BusProcess(configuration: "{ publish: { valueSize: 5 } }")
        let arguments = ["publish", Self.name, #"{"step": 1}"#, "--while", "echo", "started"]
        let refused = try bus.run(arguments)
        #expect(refused.code == 75)
        #expect(refused.errors.contains("a value can have at most 5 bytes"), "\(refused.errors)")
        #expect(bus.stop() == 0)
        let absent = try bus.run(arguments)
        #expect(absent.code == 69)
        #expect(absent.errors.contains("there is no bus at"))
        #expect(refused.output.isEmpty && absent.output.isEmpty)
    }

    @Test("an argument of the command may be named like an option") func argumentsBelongToTheCommand() throws {
        let run = try bus.run(["publish", Self.name, "{}", "--while", "echo", "--needed"])
        #expect(run.code == 0 && run.output == "--needed\n", "\(run.errors)")
    }

    @Test(
        arguments: [
            (["--while"], "missing command: reveille publish NAME VALUE --while COMMAND"),
            (["--while", "--"], "missing command: reveille publish NAME VALUE --while COMMAND"),
            (["--json", "--while", "true"], "--json and --while cannot be combined"),
        ])
    func invalidOptionsAreReported(options: [String], message: String) throws {
        let run = try bus.run(["publish", Self.name, "{}"] + options)
        #expect(run.code == 64)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(try value() == .null)
    }
}
