// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// The manual pages and completions that `Scripts/packaging/manual` writes.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct ManualTests {
    private static let script = Package.root + "/Scripts/packaging/manual"

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static func manual(
        programs: String = ChildProcess.sibling("."), in directory: TemporaryDirectory,
        environment: [String: String] = ["SOURCE_DATE_EPOCH": "86400"]
    ) throws -> ProgramRun {
        try ProgramRun(
            [script, "--programs", programs, directory.path + "/pages"], program: "python3", in: directory,
            environment: environment)
    }

    private func page(_ name: String, of program: String = "reveille") -> String {
        directory.read("pages/\(program)/\(name)")
    }

    /// Returns whether a tool that checks the manual is installed; it must be in CI.
    private func isInstalled(_ tool: String) throws -> Bool {
        let found = try ProgramRun(["-c", "command -v \(tool)"], program: "sh", in: directory).code == 0
        #expect(found || getenv("CI") == nil, "\(tool) is not installed")
        return found
    }

    /// One test, since writing the pages takes long.
    @Test func `The manual is complete, and its checkers and the shells accept it`() throws {
        try checkersHaveNoFindings()
        try everyCommandHasAPageWithItsOptions()
        try everyKeyIsInThePageOfTheConfiguration()
        try everyDefinitionIsInThePageOfItsInterface()
        try everyCompletionLoads()
    }

    private func checkersHaveNoFindings() throws {
        let run = try Self.manual(in: directory)
        #expect(run.code == 0)
        #expect(try run.errors.isEmpty || !(isInstalled("mandoc") && isInstalled("lexgrog")), "\(run.errors)")
    }

    private func everyCommandHasAPageWithItsOptions() throws {
        let help = try ProgramRun(["--help"], in: directory).output
        #expect(help.split(separator: "\n", omittingEmptySubsequences: false).count <= 24)
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
        let description = try ProgramRun(["--experimental-dump-help"], in: directory).output
        let commands = try #require(JSON.parse(Array(description.utf8)).objectValue?["command"]?.objectValue)
            .objects("subcommands").compactMap { $0["commandName"]?.stringValue }.filter { $0 != "help" }
        #expect(commands.count > 20)
        for command in commands {
            #expect(help.contains("  \(command)  "), "\(command)")
            let text = page("reveille-\(command).1")
            #expect(text.contains(".Nm reveille-\(command)\n.Nd "), "\(command)")
            #expect(page("reveille.1").contains(".It Xr reveille-\(command) 1\n"))
        }
        #expect(page("reveille-watch.1").contains(".It Fl -initial\n"))
        #expect(page("reveille-on.1").contains(".Op Fl - Ar command ...\n.Sh DESCRIPTION\n"))
        #expect(page("reveille-watch.1").hasPrefix(".Dd January 2, 1970\n"))
        #expect(page("reveille-location.1", of: "reveille-location").contains(".Nm reveille-location\n"))
    }

    private func everyKeyIsInThePageOfTheConfiguration() throws {
        let run = try ProgramRun(["serve", "--print-config"], in: directory)
        let page = page("reveille.json5.5")
        for section in try #require(try JSON.parse(Array(run.output.utf8)).objectValue).members {
            let keys = section.value.objectValue?.members.map { "\(section.name).\($0.name)" } ?? []
            for key in keys.isEmpty ? [section.name] : keys {
                #expect(page.contains(".It \\fB\(key)\\fP\n"), "\(key)")
            }
        }
    }

    private static let interfaces: [String] = ["Bus", "Device", "Schedule"]

    private func everyDefinitionIsInThePageOfItsInterface() throws {
        for name in Self.interfaces {
            let text = try Package.text("Sources/ReveilleWire/Interfaces/org.reveille.\(name).varlink")
            let page = page("org.reveille.\(name).7")
            let definitions = text.matches(of: #/(?m)^(?:type|method|error) (\w+)/#).map(\.output.1)
            #expect(!definitions.isEmpty)
            for definition in definitions { #expect(page.contains(".Ss \(definition)\n"), "\(definition)") }
        }
    }

    private static let completions: [(String, [String], String)] = [
        ("bash", ["-n"], "reveille.bash"), ("zsh", ["-n"], "_reveille"),
        ("fish", ["--no-execute"], "reveille.fish"),
    ]

    private func everyCompletionLoads() throws {
        for (shell, options, name) in Self.completions {
            let path = directory.path + "/pages/reveille/" + name
            #expect(!page(name).isEmpty && !page(name).hasPrefix("#!"))
            guard try isInstalled(shell) else { return }
            let run = try ProgramRun(options + [path], program: shell, in: directory)
            #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
        }
    }

    @Test func invalidArgumentIsReported() throws {
        let missing = try Self.manual(programs: directory.path, in: directory)
        #expect(missing.code == 1)
        #expect(missing.errors == "manual: \(directory.path)/reveille is not an executable file\n")
        let undated = try Self.manual(in: directory, environment: ["SOURCE_DATE_EPOCH": "today"])
        #expect(undated.code == 1)
        #expect(undated.errors == "manual: SOURCE_DATE_EPOCH is 'today', which is not a number of seconds\n")
    }
}
