// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing

/// The examples in the documents, run against a real bus.
@Suite(.blocking, .timeLimit(.minutes(10))) struct DocumentTests {
    /// Returns the code blocks of a document in a language, after a heading if there is one.
    static func blocks(_ language: String, of document: String, after heading: String? = nil) throws -> [String] {
        var lines = try Package.text(document).split(separator: "\n", omittingEmptySubsequences: false)
        if let heading { lines.removeSubrange(...(try #require(lines.firstIndex(of: "## " + heading)))) }
        return lines.indices.filter { lines[$0] == "```" + language }.map { start in
            lines[(start + 1)...].prefix { $0 != "```" }.joined(separator: "\n")
        }
    }

    /// Returns the first code block of a document in a language, after a heading if there is one.
    static func block(_ language: String, of document: String, after heading: String? = nil) throws -> String {
        try #require(try blocks(language, of: document, after: heading).first)
    }

    @Test func pythonExampleReceivesEvents() throws {
        let bus = try BusProcess()
        try bus.directory.write(Self.block("python", of: "README.md"), to: "subscriber.py")
        let subscriber = try RunningProgram(
            [bus.directory.path + "/subscriber.py"], program: "python3", in: bus.directory,
            environment: ["XDG_RUNTIME_DIR": bus.directory.path])
        try wait(for: "the first reply") { subscriber.output.contains("orientation") }
        try bus.client().post(level: 0.25)
        try wait(for: "the event") { subscriber.output.contains("'level': 0.25") }
        subscriber.stop()
    }

    @Test func publishingTakesTwoLinesOfShell() throws {
        let bus = try BusProcess()
        let lines = try Self.block("sh", of: "README.md", after: "Aspects").split(separator: "\n").map(String.init)
        try #require(lines.count == 2)
        func start(_ line: String) throws -> RunningProgram {
            let path = try #require(ChildProcess.environment["PATH"])
            return try RunningProgram(
                ["-c", line + "\nwait"], program: "sh", in: bus.directory,
                environment: ["REVEILLE_ADDRESS": bus.address, "PATH": ChildProcess.sibling(".") + ":" + path])
        }
        let watch = try start(lines[0])
        try wait(for: "a subscription") { try bus.client().subscriptions().count == 1 }
        let publish = try start(lines[1])
        #expect(publish.process.wait() == 0)
        #expect(publish.output == #"org.example.player  {"volume":0.5}"# + "\n")
        try wait(for: "the event") { watch.output.hasSuffix(publish.output) }
        let pid = try bus.client().subscriptions()[0].integer("pid")
        kill(pid_t(pid), SIGTERM)
        watch.process.wait()
    }

    @Test func outputInTheReadmeIsThatOfTheDemonstration() throws {
        let run = try ProgramRun(["demo"], in: TemporaryDirectory())
        let shown = try Self.block("console", of: "README.md").split(separator: "\n").dropFirst().filter { $0 != "  …" }
        #expect(shown.count > 5)
        for line in shown { #expect(run.output.split(separator: "\n").contains(line), "\(line)") }
    }

    @Test func scenarioExamplePrintsItsReport() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.block("scenario", of: "Docs/Testing.md"), to: "pocket.scenario")
        let run = try ProgramRun(
            ["simulate", "--tap", directory.path + "/pocket.scenario", "--", BusProcess.program, "watch"], in: directory
        )
        #expect(run.code == 0, "\(run.errors)")
        #expect(try run.output == Self.block("tap", of: "Docs/Testing.md") + "\n")
    }
}
