// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

/// The examples in the documents, run against a real bus.
@Suite(.blocking, .timeLimit(.minutes(10))) struct DocumentTests {
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
            let path = try #require(Environment.all["PATH"])
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
        try directory.write(Self.block("scenario", of: "Docs/Guide/Testing.md"), to: "pocket.scenario")
        let run = try ProgramRun(
            ["simulate", "--tap", directory.path + "/pocket.scenario", "--", BusProcess.program, "watch"], in: directory
        )
        #expect(run.code == 0, "\(run.errors)")
        #expect(try run.output == Self.block("tap", of: "Docs/Guide/Testing.md") + "\n")
    }

    // Tests/Walks checks that they are called, in this order.
    @Test func walksNameFunctionsOfFilesThatTheyVisitOnce() throws {
        let document = try Package.text("Docs/Contributing/Architecture.md")
        let section = try #require(document.split(separator: "\n## Walks\n").last)
        for walk in section.split(separator: "\n### ").dropFirst() {
            let steps = walk.split(separator: "\n").filter { $0.first?.isNumber == true }
            #expect(steps.count > 5)
            var files: Set<Substring> = []
            for step in steps {
                let (_, file, function) = try #require(step.firstMatch(of: /^\d+\. `([^`]+)`: `(\w+)`/), "\(step)")
                    .output
                #expect(files.insert(file).inserted, "\(step) returns to a file")
                let declaration = try Regex(function == "init" ? #"\binit\??[(<]"# : #"\bfunc \#(function)[(<]"#)
                #expect(try Package.text(String(file)).contains(declaration), "\(step)")
            }
        }
    }

    @Test func everyMessageOfTheDocumentIsExact() throws {
        let lines = try Package.text("Docs/Reference/Protocol.md").split(separator: "\n").filter { $0.hasSuffix("␀") }
            .map {
                String($0.dropLast())
            }
        #expect(lines.count > 15)
        let bus = try BusProcess()
        var clients: [Substring: RawClient] = [:]
        // This bus's ids of subscriptions and instances, by the ids in the document.
        var names: [String: String] = [:]
        for line in lines {
            let peer = line.prefix(1)
            let message = String(line.dropFirst(3))
            if clients[peer] == nil { clients[peer] = try bus.client() }
            let client = try #require(clients[peer])
            if line.dropFirst().hasPrefix(">") {
                try client.send(names.reduce(message) { $0.replacing($1.key, with: $1.value) })
                continue
            }
            let received = try #require(try client.receiveText())
            for (documented, actual) in zip(Self.identifiers(message), Self.identifiers(received)) {
                names[documented] = actual
            }
            let expected = names.reduce(Self.withoutTimes(message)) { $0.replacing($1.key, with: $1.value) }
            #expect(Self.withoutTimes(received) == expected)
        }
    }

    private static func identifiers(_ text: String) -> [String] {
        text.matches(of: #/"(?:subscription|instance)":"([0-9a-f]{16,32})"/#).map { String($0.output.1) }
    }

    private static func withoutTimes(_ text: String) -> String {
        text.replacing(#/hangedAt":\d{16}/#, with: "hangedAt\":TIME")
    }
}
