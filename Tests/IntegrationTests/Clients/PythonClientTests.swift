// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// The third-party clients `varlink` and `asyncvarlink` of PyPI with a real bus.
@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(if: PythonClient.isThere || PythonClient.isRequired, "no PyPI varlink"))
struct PythonClientTests {
    private let bus: BusProcess

    init() throws {
        bus = try BusProcess()
    }

    private func run(_ arguments: [String]) throws -> ProgramRun {
        try bus.run(["-m", "varlink.cli"] + arguments, program: PythonClient.python)
    }

    @Test func readsTheInterface() throws {
        let run = try run(["help", "\(bus.address)/org.reveille.Bus"])
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("method Subscribe("))
        #expect(run.output.contains("error QuotaExceeded"))
    }

    @Test func readsTheServiceInformation() throws {
        let run = try run(["info", "\(bus.address)"])
        #expect(run.output.contains("org.reveille.Bus"))
        #expect(run.output.contains("org.varlink.service"))
    }

    @Test func callsGetState() throws {
        try bus.client().post(level: 0.25)
        let arguments = ["call", "\(bus.address)/org.reveille.Bus.GetState", #"{"aspects":["battery"]}"#]
        let run = try run(arguments)
        let reply = try JSON.parse(Array(run.output.utf8)).objectValue
        #expect(reply?.events.first?.level == 0.25, "\(run.output) \(run.errors)")
    }

    @Test("the typed client of asyncvarlink decodes every reply") func typedClientPasses() throws {
        let run = try bus.run([Package.python + "typed_client.py", bus.socket], program: PythonClient.python)
        #expect(run.output == "passed\n", "\(run.errors)")
    }

    @Test func streamsSubscribe() throws {
        let call = "\(bus.address)/org.reveille.Bus.Subscribe"
        let client = try RunningProgram(
            ["-u", "-m", "varlink.cli", "call", "-m", call, #"{"aspects":["battery"]}"#],
            program: PythonClient.python, in: bus.directory)
        try wait(for: "the first reply") { client.output.contains("subscription") }
        for level in [0.5, 0.4] {
            try bus.client().post(level: level)
            try wait(for: "an event in \(client.output)") { client.output.contains("\"level\": \(level)") }
        }
    }
}

enum PythonClient {
    static let python = Package.root + "/.build-python/bin/python"
    static var isThere: Bool { access(python, X_OK) == 0 }
    /// Whether a missing client is a failure, as in continuous integration.
    static var isRequired: Bool { getenv("CI") != nil }
}
