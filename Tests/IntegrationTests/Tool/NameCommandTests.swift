// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleTesting
import Testing
import Varlink

/// `get`, `watch` and `status` with published names and patterns.
@Suite(.blocking, .timeLimit(.minutes(10))) struct NameCommandTests {
    private let bus: BusProcess
    private let publisher: RawClient

    init() throws {
        bus = try BusProcess()
        publisher = try bus.client()
    }

    private func publish(_ name: String, _ value: String) throws {
        let reply = try publisher.call("Publish", #"{"aspect":"\#(name)","value":\#(value)}"#)
        guard reply.error == nil else { throw Trouble("Publish: \(reply)") }
    }

    private func watch(_ arguments: String...) throws -> RunningProgram {
        let run = try RunningProgram(
            ["watch", "--address", bus.address] + arguments, in: bus.directory)
        try wait(for: "the subscription") { try publisher.subscriptions().count == 1 }
        return run
    }

    private func lines(_ run: RunningProgram) -> [Substring] { run.output.split(separator: "\n") }

    // MARK: - get

    @Test func getPrintsNamesAndTheMatchesOfPatterns() throws {
        try publish("org.example.player", #"{"volume":0.5}"#)
        try publish("org.example.job", #"{"step":1}"#)
        #expect(
            try bus.run(["get", "org.example.*", "proximity", "org.else.where"]).output == """
                proximity           unknown
                org.else.where      not published
                org.example.job     {"step":1}
                org.example.player  {"volume":0.5}

                """)
        let json = try bus.run(["get", "org.else.where", "--json"])
        #expect(try JSON.parse(Array(json.output.utf8)).objectValue?["value"] == .null)
    }

    @Test(arguments: [["get"], ["get", "--json"], ["log"]])
    func patternWithoutMatchesIsReported(command: [String]) throws {
        try publish("org.example.job", #"{"step":1}"#)
        let none = try bus.run(command + ["net.example.*", "net.else.*"])
        #expect(none.code == 0)
        #expect(none.output.isEmpty)
        #expect(
            none.errors == """
                reveille: no published name matches net.example.*
                reveille: no published name matches net.else.*

                """)
        let some = try bus.run(command + ["org.example.*", "net.else.*"])
        #expect(some.output.contains("org.example.job"))
        #expect(some.errors == "reveille: no published name matches net.else.*\n")
        // A name that is only asked for is not published.
        let absent = try bus.run(["get", "net.else.where", "net.else.*"])
        #expect(absent.errors == some.errors + "reveille: not published: net.else.where\n")
        #expect(absent.code == 1)
    }

    private static let invalidNames: [(String, String)] = [
        ("*", "a pattern must be the beginning of a name and .*, such as org.example.*"),
        ("org.*.volume", "a pattern must be the beginning of a name and .*, such as org.example.*"),
        ("org.example.", "a published name must have at least two words of letters, digits, - and _"),
        ("org", ", or a published name such as org.example.volume"),
    ]

    @Test func invalidNameIsReportedWithTheRules() throws {
        for (name, message) in Self.invalidNames {
            for command in ["get", "watch"] {
                let run = try bus.run([command, name])
                #expect(run.code == 64, "\(name)")
                #expect(run.errors.contains(message), "\(run.errors)")
            }
        }
    }

    @Test func patternThatTheShellExpandedIsReported() throws {
        try publish("org.example.conf", "{}")
        func get(_ file: String) throws -> ProgramRun {
            try bus.directory.write("", to: "files/\(file)")
            return try bus.shell("cd '\(bus.directory.path)/files'; $R get org.example.*")
        }
        let name = try get("org.example.conf")
        #expect(name.output == "org.example.conf  {}\n")
        #expect(
            name.errors == """
                reveille: warning: org.example.conf is also a file here; to prevent the shell from expanding a pattern, \
                put it in quotes

                """)
        let none = try get("org.example.~")
        #expect(none.code == 64)
        #expect(none.errors.contains("; to prevent the shell from expanding a pattern, put it in quotes"))
    }

    // MARK: - watch

    @Test func watchFollowsNamesThatAppearAndDisappear() throws {
        try publish("org.example.early", "{}")
        let run = try watch("org.example.*", "org.else.where", "--initial")
        try wait(for: "the states at the start") { lines(run).count == 2 }
        try publish("org.example.later", #"{"a":1}"#)
        try wait(for: "a new name") { lines(run).count == 3 }
        try publish("org.example.later", "null")
        try wait(for: "its withdrawal") { lines(run).count == 4 }
        #expect(
            lines(run).map { $0.dropFirst(10) } == [
                "org.else.where  not published", "org.example.early  {}", "org.example.later  {\"a\":1}",
                "org.example.later  withdrawn",
            ])
        #expect(run.stop() == 0)
    }

    @Test func valuesDoNotControlTheTerminal() throws {
        let run = try watch("org.example.*")
        try publish("org.example.player", #"{"\u202e":"\u001b[2J\u009b"}"#)
        try wait(for: "an event") { lines(run).count == 1 }
        let get = try bus.run(["get", "org.example.player"])
        for output in [run.output, get.output] {
            #expect(output.hasSuffix("org.example.player  {\"\\u{202E}\":\"\\u001b[2J\\u{9B}\"}\n"), "\(output)")
        }
        #expect(run.stop() == 0)
    }

    // MARK: - status

    @Test func statusListsNamesWithTheirPublishers() throws {
        try publish("org.example.player", "{}")
        let subscriber = try bus.subscribe(#"{"aspects":["org.example.awaited"]}"#)
        let text = try bus.run(["status"]).output
        let rows = text.split(separator: "\n").drop { !$0.hasPrefix("NAME") }.prefix(3).map(String.init)
        try #require(rows.count == 3)
        #expect(rows[0] == "NAME                 SOURCE")
        #expect(rows[1].hasPrefix("org.example.player   published by uid \(geteuid()), "), "\(text)")
        #expect(rows[2] == "org.example.awaited  not published")
        withExtendedLifetime(subscriber) {}
    }

    @Test func statusShowsTheFirstOfManyNames() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["org.example.*"],"state":"background"}"#)
        for number in 0..<1_000 { try publish("org.example.n\(1_000 + number)", "{}") }
        let run = try bus.run(["status"])
        #expect(run.output.split(separator: "\n").count { $0.contains("published by") } == 20)
        #expect(run.output.contains("\nand 980 more; --json prints all 1000 names\n"), "\(run.output)")
        #expect(run.output.contains(" 1 and at least 248 more"), "\(run.output)")
        #expect(run.output.split(separator: "\n").allSatisfy { $0.utf8.count < 400 })
        let json = try bus.run(["status", "--json"])
        let aspects = try #require(try JSON.parse(Array(json.output.utf8)).objectValue).objects("aspects")
        #expect(aspects.count { $0.aspect.hasPrefix("org.example.") } == 1_000)
        withExtendedLifetime(subscriber) {}
    }

    private func completions(of line: [String], on bus: BusProcess) throws -> [Substring] {
        let script = """
            set -e
            script=$("$1" --generate-completion-script bash)
            eval "$script"
            shift
            COMP_WORDS=("$0" "$@") COMP_CWORD=$# COMP_LINE="$0 $*" COMP_POINT=1000
            _reveille "$0" "${@: -1}" "${@: -2:1}" || true
            printf '%s\n' "${COMPREPLY[@]}"
            """
        let run = try bus.run(
            ["-c", script, BusProcess.program, BusProcess.program] + line, program: "bash")
        #expect(run.code == 0, "\(run.errors)")
        return run.output.split(separator: "\n")
    }

    @Test func publishedNamesAreOffered() throws {
        for name in ["org.example.player", "org.example.job"] {
            try bus.client().call("Publish", #"{"aspect":"\#(name)","value":{}}"#)
        }
        let names: [Substring] = ["org.example.job", "org.example.player"]
        #expect(
            try completions(of: ["get", ""], on: bus) == Aspect.device.map { Substring($0.name) } + names)
        #expect(try completions(of: ["watch", "battery", "org.example.j"], on: bus) == ["org.example.job"])
        for command in ["publish", "withdraw"] { #expect(try completions(of: [command, "o"], on: bus) == names) }
        let subscriber = try bus.subscribe(#"{"aspects":["battery"],"name":"mail"}"#)
        let touch = "touch \(bus.directory.path)/ran"
        let hostile = try ["$(\(touch))", "`\(touch)`", "a'; \(touch); '", "two words", "a\u{1B}[2J"].map { name in
            try bus.subscribe("\(JSON.object(["aspects": ["battery"], "name": .string(name)]))")
        }
        for command in ["suspend", "hold", "wake"] {
            #expect(try completions(of: [command, ""], on: bus) == ["mail"])
        }
        #expect(access(bus.directory.path + "/ran", F_OK) != 0)
        withExtendedLifetime((subscriber, hostile)) {}
        #expect(try completions(of: ["post", "proximity", ""], on: bus) == ["near", "far", "unknown"])
        #expect(try completions(of: ["get", "--address", "unix:/nowhere", "o"], on: bus) == ["orientation"])
        #expect(bus.stop() == 0)
        #expect(try completions(of: ["get", "o"], on: bus) == ["orientation"])
    }
}
