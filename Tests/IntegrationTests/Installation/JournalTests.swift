// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

/// The logs of the programs: their form for a journal, and their levels.
@Suite(.blocking, .timeLimit(.minutes(10))) struct JournalTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Starts a program whose stderr is a file, with a shell expression as the value of JOURNAL_STREAM.
    private func start(
        _ arguments: [String], program: String = BusProcess.program, stream: String,
        environment: [String: String] = [:]
    ) throws -> RunningProgram {
        let script = #"JOURNAL_STREAM=\#(stream) exec "$0" "$@""#
        return try RunningProgram(
            ["-c", script, program] + arguments, program: "sh", in: directory, environment: environment)
    }

    private var serve: [String] { ["serve", "--address", "unix:\(directory.path)/bus", "--root", directory.path] }
    /// The device and the inode of stderr, as the service manager sets them.
    private static let own = "$(stat -L -c %d:%i /proc/$$/fd/2)"

    @Test func linesHavePrioritiesIfStderrIsAJournal() throws {
        let bus = try start(serve, stream: Self.own)
        try wait(for: "the bus") { bus.errors.contains("serving") }
        #expect(bus.stop() == 0)
        #expect(bus.errors.hasPrefix("<6>serving unix:\(directory.path)/bus\n"), "\(bus.errors)")
        #expect(bus.errors.hasSuffix("<6>stopped\n"))
    }

    @Test("the variable alone does not make stderr a journal: a child whose output is redirected inherits it")
    func inheritedVariableIsIgnored() throws {
        for stream in ["1:1", "$(stat -L -c %d:%i /):1", "journal"] {
            let bus = try start(serve, stream: stream)
            try wait(for: "the bus") { bus.errors.contains("serving") }
            #expect(bus.stop() == 0)
            #expect(bus.errors.hasPrefix("reveille: info: serving"), "\(bus.errors)")
        }
    }

    @Test func failureIsAnErrorInTheJournal() throws {
        let run = try start(["serve", "--config", "/nowhere/config"], stream: Self.own)
        #expect(run.process.wait() == 78)
        #expect(run.errors.hasPrefix("<3>") && run.errors.contains("/nowhere/config"), "\(run.errors)")
        let plain = try start(["serve", "--config", "/nowhere/config"], stream: "1:1")
        #expect(plain.process.wait() == 78)
        #expect(plain.errors.hasPrefix("reveille: "), "\(plain.errors)")
    }

    @Test func satelliteLogsInTheSameForm() throws {
        let arguments = ["--address", "unix:/nowhere/bus"]
        let run = try start(arguments, program: LocationScene.program, stream: Self.own)
        #expect(run.process.wait() == 69)
        #expect(run.errors.hasPrefix("<3>") && run.errors.contains("/nowhere/bus"), "\(run.errors)")
        let plain = try start(arguments, program: LocationScene.program, stream: "1:1")
        #expect(plain.process.wait() == 69)
        #expect(plain.errors.hasPrefix("reveille-location: error: "), "\(plain.errors)")
    }

    @Test(
        "a level is given by --log-level, otherwise by LOG_LEVEL",
        arguments: [
            ([], "", true), ([], "info", true), ([], "WARNING", false), (["--log-level", "warning"], "", false),
            (["--log-level", "debug"], "error", true), (["--log-level", "error"], "debug", false),
        ])
    func levelIsChosen(option: [String], variable: String, isLogged: Bool) throws {
        let bus = try start(serve + option, stream: "1:1", environment: ["LOG_LEVEL": variable])
        try wait(for: "a bus") { (try? RawClient(directory.path + "/bus")) != nil }
        #expect(bus.stop() == 0)
        #expect(bus.errors.contains("serving") == isLogged, "\(bus.errors)")
    }

    @Test(
        "an unknown level is refused with a list of the levels",
        arguments: [BusProcess.program, LocationScene.program])
    func unknownLevelIsRefused(program: String) throws {
        let command = program == BusProcess.program ? ["serve"] : []
        let variable = try ProgramRun(command, program: program, in: directory, environment: ["LOG_LEVEL": "loud"])
        #expect(variable.code == 64)
        #expect(
            variable.errors.contains(
                "LOG_LEVEL: 'loud' must be one of trace, debug, info, notice, warning, error, critical"),
            "\(variable.errors)")
        let option = try ProgramRun(command + ["--log-level", "loud"], program: program, in: directory)
        #expect(option.code == 64)
        #expect(option.errors.contains("loud") && option.errors.contains("critical"), "\(option.errors)")
    }
}
