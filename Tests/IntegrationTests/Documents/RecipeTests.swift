// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// The commands of Docs/Recipes.md, taken out of the files of bars and units as these take them.
@Suite(.blocking, .timeLimit(.minutes(10))) struct RecipeTests {
    private let bus: BusProcess

    init() throws {
        bus = try BusProcess()
        try post(#"{"level": 0.8, "state": "unplugged"}"#)
    }

    private func post(_ battery: String) throws {
        let run = try bus.run(["post", "battery", battery])
        #expect(run.code == 0, "\(run.errors)")
    }

    private static func block(_ heading: String, _ language: String = "") throws -> String {
        try DocumentTests.block(language, of: "Docs/Recipes.md", after: heading)
    }

    /// Returns what follows a text on each of the lines that have it.
    private static func values(after text: String, in block: String) -> [String] {
        block.split(separator: "\n").compactMap { line in
            line.firstRange(of: text).map { String(line[$0.upperBound...]) }
        }
    }

    private func start(_ command: String) throws -> RunningProgram {
        let path = try #require(Environment.all["PATH"])
        return try RunningProgram(
            ["-c", command], program: "sh", in: bus.directory,
            environment: ["REVEILLE_ADDRESS": bus.address, "PATH": ChildProcess.sibling(".") + ":" + path])
    }

    /// Expects lines of a bar's command for the state at the start, and for one change.
    private func expect(_ lines: [String], of command: String) throws {
        let run = try start(command)
        try wait(for: "the first line, not \(run.output)\(run.errors)") { run.output == lines[0] + "\n" }
        try post(#"{"level": 0.5, "state": "charging"}"#)
        try wait(for: "the next line, not \(run.output)\(run.errors)") {
            run.output == lines.map { $0 + "\n" }.joined()
        }
        try stop(run)
    }

    /// The programs of a pipeline end with the first one.
    private func stop(_ run: RunningProgram) throws {
        for subscriber in try bus.client().subscriptions() { kill(pid_t(subscriber.integer("pid")), SIGTERM) }
        run.process.wait()
    }

    @Test func wayBarShowsTheBattery() throws {
        let file = try JSON.parse(Array(Self.block("Waybar", "json").utf8)).objectValue
        let module = try #require(file?["custom/battery"]?.objectValue)
        #expect(module["return-type"] == "json")
        try expect(
            [#"{"text":"80% unplugged","class":"unplugged"}"#, #"{"text":"50% charging","class":"charging"}"#],
            of: try #require(module["exec"]?.stringValue))
    }

    @Test(arguments: [("i3blocks", "command="), ("Polybar", "exec = ")])
    func otherBarsShowTheBattery(heading: String, key: String) throws {
        let command = try #require(Self.values(after: key, in: try Self.block(heading, "ini")).first)
        try expect(["80% unplugged", "50% charging"], of: command)
    }

    @Test func ewwListensToEvents() throws {
        let line = try #require(
            Self.values(after: #"(deflisten event :initial "{}" ""#, in: try Self.block("eww", "lisp")).first)
        let run = try start(String(line.dropLast(2)))
        try wait(for: "an event") { run.output.hasSuffix("\n") }
        try stop(run)
        let event = try JSON.parse(Array(run.output.split(separator: "\n")[0].utf8)).objectValue
        #expect(event?["battery"]?.objectValue?["level"] == 0.8)
    }

    @Test func barOfSwayShowsTheBatteryAndWhatIsPlayed() throws {
        let command = try #require(Self.values(after: "status_command ", in: try Self.block("sway")).first)
        let value = #"{"metadata": {"xesam:title": "A Song"}}"#
        #expect(try bus.run(["publish", "org.mpris.player.example", value]).code == 0)
        let run = try start(command)
        try wait(for: "the first line, not \(run.output)\(run.errors)") { run.output.hasSuffix("80%  A Song\n") }
        #expect(try bus.run(["withdraw", "org.mpris.player.example"]).code == 0)
        try wait(for: "the last line, not \(run.output)\(run.errors)") { run.output.hasSuffix("\n80%\n") }
        try stop(run)
    }

    @Test func conditionsOfSwayAndTheUnitAreValid() throws {
        let commands =
            Self.values(after: "exec reveille ", in: try Self.block("sway"))
            + Self.values(after: "ExecStart=/usr/bin/reveille ", in: try Self.block("A systemd unit", "ini"))
        #expect(commands.count == 5)
        for command in commands {
            // A program without a bus is refused for its arguments first.
            let tool = command.replacing(" -- ", with: " --address unix:/nowhere/bus -- true ")
            let run = try ProgramRun(
                ["-c", "\(BusProcess.program) \(tool)"], program: "sh", in: bus.directory)
            #expect(run.code == 69, "\(run.errors)")
        }
    }

    @Test func udevPublishesAName() throws {
        let commands = Self.values(after: #"RUN+="/usr/bin/reveille "#, in: try Self.block("udev"))
        #expect(commands.count == 2)
        for (command, value) in zip(commands, [#"{"present":true}"#, "not published"]) {
            // A value of udev ends with its quote, and has \" for one.
            let arguments = command.dropLast().replacing(#"\""#, with: #"""#)
            let run = try start("reveille " + arguments)
            #expect(run.process.wait() == 0, "\(run.errors)")
            #expect(run.output == "org.example.keyboard  \(value)\n")
        }
    }
}
