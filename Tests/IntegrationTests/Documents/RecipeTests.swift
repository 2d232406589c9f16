// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// The commands of Docs/Reference/Recipes.md, taken out of the files of bars and units as these take them, on a phone that has the
/// device, loses it and has it again.
@Suite(.blocking, .timeLimit(.minutes(10))) struct RecipeTests {
    private let phone: SyntheticPhone
    private let bus: BusProcess

    init() throws {
        phone = try SyntheticPhone()
        bus = try BusProcess(on: phone)
        // What a command runs, instead of the compositor and of the session's notifications.
        for program in ["swaymsg", "notify-send"] {
            try bus.directory.write("#!/bin/sh\necho \"$@\" >>\(bus.directory.path)/ran\n", to: "bin/" + program)
            chmod(bus.directory.path + "/bin/" + program, 0o755)
        }
    }

    private static func block(_ heading: String, _ language: String = "") throws -> String {
        try DocumentTests.block(language, of: "Docs/Reference/Recipes.md", after: heading)
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
            environment: [
                "REVEILLE_ADDRESS": bus.address,
                "PATH": "\(ChildProcess.sibling(".")):\(bus.directory.path)/bin:\(path)",
            ])
    }

    /// Expects the last line of a bar's command.
    private func waitForLast(_ line: String, of run: RunningProgram) throws {
        try wait(for: "the line '\(line)', not \(run.output)\(run.errors)") {
            run.output == line + "\n" || run.output.hasSuffix("\n" + line + "\n")
        }
        #expect(!run.errors.contains("jq:"), "\(run.errors)")
    }

    /// Expects the lines of a bar's command for a battery, for none, and for the charging battery when it is back.
    private func expect(_ lines: [String], of command: String) throws {
        let run = try start(command)
        try waitForLast(lines[0], of: run)
        try phone.battery.remove()
        try waitForLast(lines[1], of: run)
        let other = try start(command)
        try waitForLast(lines[1], of: other)
        try phone.battery.insert()
        try phone.plugIn()
        for run in [run, other] { try waitForLast(lines[2], of: run) }
        try stop(run)
        other.process.wait()
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
            [
                #"{"text":"80% unplugged","class":"unplugged"}"#, #"{"text":"","class":"unknown"}"#,
                #"{"text":"80% charging","class":"charging"}"#,
            ],
            of: try #require(module["exec"]?.stringValue))
    }

    @Test(arguments: [("i3blocks", "command="), ("Polybar", "exec = ")])
    func otherBarsShowTheBattery(heading: String, key: String) throws {
        let command = try #require(Self.values(after: key, in: try Self.block(heading, "ini")).first)
        try expect(["80% unplugged", "", "80% charging"], of: command)
    }

    @Test func ewwShowsTheBattery() throws {
        let line = try #require(
            Self.values(after: #"(deflisten charge :initial "" `"#, in: try Self.block("eww", "lisp")).first)
        try expect(["80%", "", "80%"], of: String(line.dropLast(2)))
    }

    @Test func barOfSwayShowsTheBatteryAndWhatIsPlayed() throws {
        let command = try #require(Self.values(after: "status_command ", in: try Self.block("sway")).first)
        let value = #"{"metadata": {"xesam:title": "A Song"}}"#
        #expect(try bus.run(["publish", "org.mpris.player.example", value]).code == 0)
        let run = try start(command)
        try wait(for: "the first line, not \(run.output)\(run.errors)") { run.output.hasSuffix("80%  A Song\n") }
        #expect(try bus.run(["withdraw", "org.mpris.player.example"]).code == 0)
        try wait(for: "the last line, not \(run.output)\(run.errors)") { run.output.hasSuffix("\n80%\n") }
        try phone.battery.remove()
        try waitForLast("", of: run)
        try stop(run)
    }

    /// Starts the commands of sway's configuration and of the unit, and waits for their subscriptions.
    private func startCommands() throws -> [RunningProgram] {
        let commands =
            Self.values(after: "exec reveille ", in: try Self.block("sway"))
            + Self.values(after: "ExecStart=/usr/bin/reveille ", in: try Self.block("A systemd unit", "ini"))
        #expect(commands.count == 5)
        let runs = try commands.map { try start("exec reveille " + $0) }
        try wait(for: "the subscriptions: \(runs.map(\.errors))") {
            try bus.client().subscriptions().count == runs.count
        }
        return runs
    }

    private func waitForLine(_ line: String) throws {
        try wait(for: "\(line), not \(bus.directory.read("ran"))") {
            bus.directory.read("ran").split(separator: "\n").contains { $0 == line }
        }
    }

    @Test func commandsOfSwayAndTheUnitRun() throws {
        try phone.lid.insert()
        let runs = try startCommands()
        try phone.rotate(to: .landscapeLeft)
        try waitForLine("output - transform 90")
        try phone.rotate(to: .portrait)
        try waitForLine("output - transform normal")
        try phone.lid.set(true)
        try waitForLine("output eDP-1 disable")
        try phone.lid.set(false)
        try waitForLine("output eDP-1 enable")
        try phone.battery.setLevel(0.1)
        try waitForLine("Battery low")
        for run in runs {
            run.stop()
            #expect(run.errors == "")
        }
    }

    @Test func commandsOfSwayAndTheUnitWaitForDevices() throws {
        try phone.battery.remove()
        try phone.accelerometer.remove()
        let runs = try startCommands()
        for (run, aspect) in zip(runs, ["orientation", "orientation", "switches", "switches", "battery"]) {
            try wait(for: "\(aspect): \(run.errors)") {
                run.errors.hasPrefix("reveille: waiting for a source of \(aspect): ")
            }
        }
        try phone.battery.insert()
        try phone.lid.insert()
        try phone.lid.set(true)
        try waitForLine("output eDP-1 disable")
        try phone.battery.setLevel(0.1)
        try waitForLine("Battery low")
        for run in runs { run.stop() }
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
