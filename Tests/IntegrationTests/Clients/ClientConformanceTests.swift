// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

/// The suite for clients in any language, run with the clients of this project.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ClientConformanceTests {
    private static let folder = Package.root + "/Tests/ClientConformance/"

    private func run(_ arguments: [String], mayLack functions: [String] = [], in directory: TemporaryDirectory) throws {
        let options = ["--program", BusProcess.program] + functions.flatMap { ["--may-lack", $0] }
        let suite = try ProgramRun(
            ["-B", Self.folder + "run"] + options + arguments, program: "/usr/bin/python3", in: directory)
        #expect(suite.code == 0, "\(suite.output)\(suite.errors)")
    }

    @Test(.enabled(if: Node.isThere || Node.isRequired, "no Node.js"), arguments: ClientLanguage.allCases)
    func clientKeepsTheRules(language: ClientLanguage) throws {
        try run(language.command, in: TemporaryDirectory())
    }

    @Test func libraryKeepsTheRules() throws {
        try run([ChildProcess.sibling("ReveilleClientAdapter")], in: TemporaryDirectory())
    }

    @Test(
        "the client in C that the document explains keeps the rules, and has at most 400 lines",
        .enabled(if: Self.hasLibrary, "no systemd 257"))
    func clientInCKeepsTheRules() throws {
        let directory = try TemporaryDirectory()
        let adapter = directory.path + "/adapter"
        let build = try ProgramRun([adapter], program: Self.folder + "C/build", in: directory)
        try #require(build.code == 0, "\(build.errors)")
        try run([adapter], mayLack: ["task", "suspend"], in: directory)
        #expect(try Package.text(Self.client).split(separator: "\n", omittingEmptySubsequences: false).count <= 401)
    }

    @Test(
        "the suite notices each rule that is missing in the client in C",
        .enabled(if: Self.hasLibrary, "no systemd 257"))
    func suiteNoticesMissingRules() throws {
        let directory = try TemporaryDirectory()
        let run = try ProgramRun(
            ["-B", Self.folder + "selftest", BusProcess.program], program: "/usr/bin/python3", in: directory)
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }

    private static let client = "Sources/Examples/ClientInC/reveille.c"

    /// Whether systemd's library for Varlink is here, or was unpacked; see `C/build`.
    private static var hasLibrary: Bool {
        access(Package.root + "/.build-sd-varlink/complete", F_OK) == 0
            || access("/usr/include/systemd/sd-varlink.h", F_OK) == 0 || getenv("CI") != nil
    }

    @Test func documentShowsTheClientAsItIs() throws {
        let client = try Package.text(Self.client)
        let snippets = try DocumentTests.blocks("c", of: "Docs/Reference/WritingAClient.md")
        #expect(snippets.count > 8)
        for snippet in snippets { #expect(client.contains(snippet + "\n"), "\(snippet)") }
    }
}
