// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Every block of code in the documents: this suite runs it, another suite does, or a comment says why none does.
@Suite(.blocking, .timeLimit(.minutes(10))) struct SnippetTests {
    struct Block: Sendable, CustomTestStringConvertible {
        let document: String
        let language: String
        let text: String
        /// The comment on the line before.
        let reason: String?

        var testDescription: String { "\(document): \(text.prefix { $0 != "\n" })" }
    }

    /// The suites that run the blocks of some documents.
    ///
    /// `DocumentCodeTests` compiles Swift. Blocks of text are screens and drawings.
    private static let elsewhere = [
        ("README.md", "console", "DocumentTests"), ("README.md", "python", "DocumentTests"),
        ("Docs/Reference/Clients.md", "python", "ClientDocumentTests"),
        ("Docs/Reference/Clients.md", "js", "ClientDocumentTests"),
        ("Docs/Guide/FirstProgram.md", "python", "ClientDocumentTests"),
        ("Docs/Guide/FirstProgram.md", "js", "ClientDocumentTests"),
        ("Docs/Guide/SleepingAndWaking.md", "python", "ClientDocumentTests"),
        ("Docs/Guide/PublishingAndDemand.md", "python", "ClientDocumentTests"),
        ("Docs/Guide/TimesAndLaunching.md", "python", "ClientDocumentTests"),
        ("Docs/Reference/WritingAClient.md", "c", "ClientConformanceTests"),
        ("Docs/Reference/Protocol.md", "", "DocumentTests"),
        ("Docs/Guide/Testing.md", "tap", "DocumentTests"),
        ("Docs/Reference/Recipes.md", "json", "RecipeTests"), ("Docs/Reference/Recipes.md", "ini", "RecipeTests"),
        ("Docs/Reference/Recipes.md", "lisp", "RecipeTests"), ("Docs/Reference/Recipes.md", "", "RecipeTests"),
    ]
    private static let here = ["sh", "json5", "scenario", "rules", "json"]

    private static func blocks() throws -> [Block] {
        let folders = [
            "", "Docs", "Docs/Guide", "Docs/Reference", "Docs/Satellites", "Docs/Contributing",
            "Docs/Contributing/Decisions",
            "Sources/Reveille/Reveille.docc",
        ]
        let documents = try (folders + ["Sources/ReveilleTesting/ReveilleTesting.docc"]).flatMap { folder in
            try DirectoryListing.files(in: "\(Package.root)/\(folder)").filter { $0.hasSuffix(".md") }.sorted()
                .map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
        }
        return try documents.flatMap { document in
            let lines = try Package.text(document).split(separator: "\n", omittingEmptySubsequences: false)
            var blocks: [Block] = []
            var index = 0
            while index < lines.count {
                defer { index += 1 }
                guard lines[index].hasPrefix("```") else { continue }
                let text = lines[(index + 1)...].prefix { $0 != "```" }
                let before = index > 0 ? lines[index - 1].firstMatch(of: #/^<!-- not run: (.+) -->$/#) : nil
                blocks.append(
                    Block(
                        document: document, language: String(lines[index].dropFirst(3)),
                        text: text.joined(separator: "\n"), reason: before.map { String($0.output.1) }))
                index += text.count + 1
            }
            return blocks
        }
    }

    private static func blocks(in language: String) throws -> [Block] {
        try blocks().filter { block in
            block.language == language && block.reason == nil
                && !elsewhere.contains { $0.0 == block.document && $0.1 == language }
        }
    }

    @Test func everyBlockIsRunOrHasAReason() throws {
        let blocks = try Self.blocks()
        #expect(blocks.count > 80)
        for block in blocks where !(Self.here + ["swift", "text"]).contains(block.language) && block.reason == nil {
            #expect(
                Self.elsewhere.contains { $0.0 == block.document && $0.1 == block.language },
                "\(block.testDescription)")
        }
        let sources = try ["Documents", "Clients"].map { "Tests/IntegrationTests/" + $0 }.flatMap { folder in
            try DirectoryListing.files(in: "\(Package.root)/\(folder)").filter { $0.hasSuffix(".swift") }
                .map { try Package.text("\(folder)/\($0)") }
        }
        for (document, language, suite) in Self.elsewhere {
            #expect(blocks.contains { $0.document == document && $0.language == language }, "\(document)")
            let source = try #require(sources.first { $0.contains("struct \(suite) {") }, "\(suite)")
            #expect(source.contains(document), "\(suite) does not read \(document)")
        }
    }

    @Test(arguments: try blocks(in: "json5")) func configurationIsAccepted(block: Block) throws {
        let directory = try TemporaryDirectory()
        try directory.write(block.text.hasPrefix("{") ? block.text : "{\(block.text)}", to: "config.json5")
        let isForDBus = block.document.hasSuffix("DBus.md")
        let run = try ProgramRun(
            (isForDBus ? ["check"] : ["serve", "--check"]) + ["--config", directory.path + "/config.json5"],
            program: isForDBus ? ChildProcess.sibling("reveille-dbus") : BusProcess.program, in: directory)
        #expect(run.code == 0, "\(run.errors)")
    }

    @Test(arguments: try blocks(in: "scenario")) func scenarioMeetsItsExpectations(block: Block) throws {
        let directory = try TemporaryDirectory()
        try directory.write(block.text, to: "scenario")
        let run = try ProgramRun(
            ["simulate", directory.path + "/scenario", "--", BusProcess.program, "watch"], in: directory)
        #expect(run.code == 0, "\(run.errors)")
    }

    @Test(arguments: try blocks(in: "json")) func callIsAnswered(block: Block) throws {
        let bus = try BusProcess()
        let client = try bus.client()
        try client.send(block.text)
        #expect(try client.receive().error == nil)
    }

    @Test(arguments: try blocks(in: "rules")) func rulesAreValid(block: Block) throws {
        let scene = try SnippetScene()
        try scene.bus.directory.write(block.text, to: "rules")
        let run = try scene.start("reveille rules --check rules")
        #expect(run.process.wait() == 0, "\(run.errors)")
    }

    @Test(arguments: try blocks(in: "sh")) func commandsRun(block: Block) throws {
        let scene = try SnippetScene()
        var background: [RunningProgram] = []
        for line in block.text.replacing("\\\n", with: "").split(separator: "\n") {
            let run = try scene.start(String(line))
            if line.contains("&  ") || line.hasSuffix("&") {
                background.append(run)
            } else {
                #expect(try scene.end(run) == 0, "\(line): \(run.errors)")
            }
        }
        for run in background { #expect(try scene.end(run, inBackground: true) == 0, "\(run.errors)") }
    }
}
