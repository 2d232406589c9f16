// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing

/// The examples in the documents, run against a real bus.
@Suite(.timeLimit(.minutes(10))) struct DocumentTests {
    /// Returns the first code block of a document in a language.
    static func block(_ language: String, of document: String) throws -> String {
        let package = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let lines = try String(contentsOfFile: "/" + package + "/" + document).split(
            separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "```" + language))
        return lines[(start + 1)...].prefix { $0 != "```" }.joined(separator: "\n")
    }

    @Test func pythonExampleReceivesEvents() throws {
        let bus = try BusProcess()
        try bus.directory.write(Self.block("python", of: "README.md"), to: "subscriber.py")
        let output = open(bus.directory.path + "/output", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let process = try ChildProcess(
            ["python3", bus.directory.path + "/subscriber.py"],
            environment: ChildProcess.environment.merging(["XDG_RUNTIME_DIR": bus.directory.path]) { $1 },
            descriptors: [1: output])
        close(output)
        let deadline = Deadline(seconds: 30)
        while !bus.directory.read("output").contains("orientation"), !deadline.hasPassed { deadline.pause() }
        try bus.client().post(level: 0.25)
        while !bus.directory.read("output").contains("0.25"), !deadline.hasPassed { deadline.pause() }
        #expect(bus.directory.read("output").contains("'level': 0.25"))
        process.signal(SIGTERM)
        process.wait()
    }

    @Test func outputInTheReadmeIsThatOfTheDemonstration() throws {
        let run = try ProgramRun(["demo"], in: try TemporaryDirectory())
        let shown = try Self.block("", of: "README.md").split(separator: "\n").dropFirst().filter { $0 != "  …" }
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
