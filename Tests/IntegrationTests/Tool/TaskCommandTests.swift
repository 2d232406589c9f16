// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// `reveille task`: a program has a task for as long as a command runs.
@Suite(.blocking, .timeLimit(.minutes(10))) struct TaskCommandTests {
    private let bus: BusProcess

    init() throws {
        bus = try BusProcess(configuration: "{ lifecycle: { taskTime: 2 } }")
    }

    private var environment: [String: String] { ["R": BusProcess.program, "REVEILLE_ADDRESS": bus.address] }

    private func run(_ arguments: [String]) throws -> ProgramRun {
        try ProgramRun(["task"] + arguments, in: bus.directory, environment: environment)
    }

    private func start(_ options: [String] = []) throws -> RunningProgram {
        // PR_SET_PDEATHSIG: it ends with its parent, which a test kills.
        let script = """
            import ctypes, signal
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)
            print('ready', flush=True)
            signal.pause()
            """
        let run = try RunningProgram(
            ["task"] + options + ["upload", "--", "python3", "-c", script], in: bus.directory, environment: environment)
        try wait(for: "the command to start") { run.output == "ready\n" }
        return run
    }

    private func tasks() throws -> [String] {
        try bus.client().subscriptions().flatMap { $0.objects("tasks") }.compactMap { $0["name"]?.stringValue }
    }

    @Test func programHasATaskWhileTheCommandRuns() throws {
        let subscriber = try bus.subscribe(#"{"name":"mail"}"#)
        let run = try run(["upload", "--", "sh", "-c", "$R status; exit 7"])
        #expect(run.code == 7)
        #expect(run.errors.isEmpty)
        let line = run.output.split(separator: "\n").first { $0.contains(subscriber.id) }
        #expect(run.output.contains("TASKS") && line?.hasSuffix("upload") == true, "\(run.output)")
        try wait(for: "the task to end") { try tasks().isEmpty }
        #expect(try !bus.run(["status"]).output.contains("TASKS"))
    }

    @Test func timeIsReportedOnStderrAndTheCommandContinues() throws {
        let subscriber = try bus.subscribe()
        let run = try start()
        try subscriber.setState("background", on: bus.client())
        try wait(for: "the end of the time") { run.errors.contains("over") }
        #expect(
            run.errors == """
                reveille: the time for the task ends in 1 s
                reveille: the time for the task is over, and its program can be suspended

                """)
        #expect(try tasks().isEmpty)
        #expect(run.stop() == 128 + SIGTERM)
    }

    @Test func killingTheProgramEndsTheTask() throws {
        let subscriber = try bus.subscribe()
        let run = try start(["--subscription", subscriber.id])
        #expect(try tasks() == ["upload"])
        run.process.signal(SIGKILL)
        #expect(run.process.wait() == 128 + SIGKILL)
        try wait(for: "the task to end") { try tasks().isEmpty }
    }

    @Test func commandRunsWithoutATask() throws {
        let alone = try run(["upload", "--", "sh", "-c", "echo out; exit 3"])
        #expect(alone.code == 3)
        #expect(alone.output == "out\n")
        #expect(
            alone.errors
                == "reveille: no ancestor of this process has a subscription, and it is in no scope of 'reveille run'; "
                + "nothing waits for the command\n")
        #expect(bus.stop() == 0)
        let absent = try run(["upload", "--", "echo", "out"])
        #expect(absent.code == 0)
        #expect(absent.output == "out\n")
        #expect(absent.errors.contains("there is no bus at") && absent.errors.contains("nothing waits"))
    }

    @Test func lossOfTheBusIsReportedAndTheCommandContinues() throws {
        let subscriber = try bus.subscribe()
        let run = try start(["--subscription", subscriber.id])
        #expect(bus.stop() == 0)
        try wait(for: "the loss") { run.errors.contains("nothing waits for the command any longer") }
        #expect(run.stop() == 128 + SIGTERM)
    }

    private static let invalidArguments: [([String], Int32, String)] = [
        (["upload"], 64, "missing command: reveille task NAME -- COMMAND"),
        (["", "--", "echo"], 64, "NAME must have 1 to 128 bytes, not 0"),
        (["upload", "--", "/nowhere/command"], 127, "/nowhere/command: No such file or directory"),
        (["upload", "--subscription", "x", "--", "echo"], 1, "no subscription has the id, name or process id 'x'"),
    ]

    @Test func invalidArgumentsAreReported() throws {
        for (arguments, code, message) in Self.invalidArguments {
            let run = try run(arguments)
            #expect(run.code == code, "\(arguments)")
            #expect(run.errors.contains(message), "\(run.errors)")
            #expect(run.output.isEmpty)
        }
    }
}
