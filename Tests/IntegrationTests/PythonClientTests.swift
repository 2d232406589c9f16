// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// The third-party clients `varlink` and `asyncvarlink` of PyPI with a real bus.
@Suite(.timeLimit(.minutes(10)), .enabled(if: PythonClient.isThere || PythonClient.isRequired, "no PyPI varlink"))
struct PythonClientTests {
    private func run(_ arguments: [String], in directory: TemporaryDirectory) throws -> ProgramRun {
        try ProgramRun(["-m", "varlink.cli"] + arguments, program: PythonClient.python, in: directory)
    }

    @Test func readsTheInterface() throws {
        let bus = try BusProcess()
        let run = try run(["help", "unix:\(bus.socket)/org.reveille.Bus"], in: bus.directory)
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("method Subscribe("))
        #expect(run.output.contains("error QuotaExceeded"))
    }

    @Test func readsTheServiceInformation() throws {
        let bus = try BusProcess()
        let run = try run(["info", "unix:\(bus.socket)"], in: bus.directory)
        #expect(run.output.contains("org.reveille.Bus"))
        #expect(run.output.contains("org.varlink.service"))
    }

    @Test func callsGetState() throws {
        let bus = try BusProcess()
        try bus.client().post(level: 0.25)
        let arguments = ["call", "unix:\(bus.socket)/org.reveille.Bus.GetState", #"{"aspects":["battery"]}"#]
        let run = try run(arguments, in: bus.directory)
        let reply = try JSON.parse(Array(run.output.utf8)).objectValue
        #expect(reply?["events"]?.arrayValue?.first?.objectValue?.level == 0.25, "\(run.output) \(run.errors)")
    }

    @Test("the typed client of asyncvarlink decodes every reply") func typedClientPasses() throws {
        let bus = try BusProcess()
        let script = #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/Python/typed_client.py"
        let run = try ProgramRun(["/" + script, bus.socket], program: PythonClient.python, in: bus.directory)
        #expect(run.output == "passed\n", "\(run.errors)")
    }

    @Test func streamsSubscribe() throws {
        let bus = try BusProcess()
        let output = open(bus.directory.path + "/stream", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let call = "unix:\(bus.socket)/org.reveille.Bus.Subscribe"
        let process = try ChildProcess(
            [PythonClient.python, "-u", "-m", "varlink.cli", "call", "-m", call, #"{"aspects":["battery"]}"#],
            environment: ChildProcess.environment, descriptors: [1: output])
        close(output)
        let stream = { bus.directory.read("stream") }
        let deadline = Deadline(seconds: 30)
        while !stream().contains("subscription"), !deadline.hasPassed { deadline.pause() }
        for level in [0.5, 0.4] {
            try bus.client().post(level: level)
            while !stream().contains("\"level\": \(level)"), !deadline.hasPassed { deadline.pause() }
            #expect(stream().contains("\"level\": \(level)"), "\(stream())")
        }
        process.signal(SIGKILL)
        process.wait()
    }
}

/// The Python client that `Scripts/setup test` installs.
enum PythonClient {
    private static let package = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    static let python = package + "/.build-python/bin/python"
    static var isThere: Bool { access(python, X_OK) == 0 }
    /// Whether a missing client is a failure, as in continuous integration.
    static var isRequired: Bool { getenv("CI") != nil }
}
