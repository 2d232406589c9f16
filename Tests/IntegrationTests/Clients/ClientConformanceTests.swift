// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import ReveilleTesting
import Testing

/// The suite for clients in any language, run with the clients of this project.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ClientConformanceTests {
    private static let folder = Package.root + "/Tests/ClientConformance/"

    private func run(_ arguments: [String], in directory: TemporaryDirectory) throws {
        let options = ["--program", BusProcess.program]
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
}
