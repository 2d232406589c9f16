// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// What all programs do with their arguments, descriptors and threads when they start.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ProgramStartTests {
    static let programs = [
        "reveille", "reveille-fleet", "reveille-view", "reveille-dbus", "reveille-location", "reveille-sensor-proxy",
    ]

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Calls a closure with the words of each command of a program, and the parser's description of its arguments.
    private func forEachCommand(of program: String, _ body: ([String], [JSONObject]) throws -> Void) throws {
        func visit(_ command: JSONObject, _ words: [String]) throws {
            try body(words, (command["arguments"]?.arrayValue ?? []).compactMap(\.objectValue))
            for next in command["subcommands"]?.arrayValue ?? [] {
                let next = try #require(next.objectValue)
                let name = try #require(next["commandName"]?.stringValue)
                if name != "help" { try visit(next, words + [name]) }
            }
        }
        let dump = try ProgramRun(["--experimental-dump-help"], program: ChildProcess.sibling(program), in: directory)
        let tool = try #require(try JSON.parse(Array(dump.output.utf8)).objectValue)
        try visit(try #require(tool["command"]?.objectValue), [])
    }

    @Test(arguments: programs) func `An option for one value is refused if it is given twice`(program: String) throws {
        var count = 0
        try forEachCommand(of: program) { words, arguments in
            for option in arguments where option["kind"] == "option" && option["isRepeating"] == false {
                let names = (option["names"]?.arrayValue ?? []).compactMap(\.objectValue).map { name in
                    (name["kind"] == "long" ? "--" : "-") + (name["name"]?.stringValue ?? "")
                }
                let (first, last) = (try #require(names.first), try #require(names.last))
                let form = words + ["\(first)=1", last, "1"]
                let run = try ProgramRun(form, program: ChildProcess.sibling(program), in: directory)
                #expect(run.code == 64, "\(form)")
                #expect(run.errors.contains("\(last) is given twice, but takes one value\n"), "\(run.errors)")
                count += 1
            }
        }
        #expect(count > 0)
    }

    @Test(arguments: programs) func `No example of a help text is broken at 80 columns`(program: String) throws {
        try forEachCommand(of: program) { words, _ in
            let help = try ProgramRun(
                words + ["--help"], program: ChildProcess.sibling(program), in: directory,
                environment: ["COLUMNS": "80"])
            // From the heading to the next empty line.
            let lines = help.output.split(separator: "\n", omittingEmptySubsequences: false)
            let examples = lines.drop { $0 != "EXAMPLES" }.dropFirst().prefix { !$0.isEmpty }
            #expect(examples.allSatisfy { $0.hasPrefix("  ") }, "\(words) \(examples)")
        }
    }

    @Test(arguments: [
        ["publish", "org.example.a", "{}", "--address", "unix:/nowhere", "--while", "true", "--address", "--address"],
        ["get", "battery", "--address", "unix:/nowhere", "--", "--address", "--address"],
        ["log", "battery", "--since", "--since", "--address", "unix:/nowhere"],
    ])
    func `A word that is no option of the command may be repeated`(arguments: [String]) throws {
        #expect(!(try ProgramRun(arguments, in: directory).errors.contains("is given twice")))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can mount"), arguments: programs)
    func `Without the files of proc, a program has its arguments`(program: String) throws {
        let hidden = "mount -t tmpfs tmpfs /proc && exec \"$R\" --no-such-option"
        let run = try ProgramRun(
            ["--mount", "sh", "-c", hidden], program: "unshare", in: directory,
            environment: ["R": ChildProcess.sibling(program)])
        #expect(run.code == 64)
        #expect(run.errors.contains("Unknown option '--no-such-option'"), "\(run.errors)")
    }

    // MARK: - Few descriptors and threads

    /// A command that uses descriptors and threads, and whose bus or broker is absent.
    struct Command: Sendable {
        let program: String
        let arguments: [String]
        var runsOn = false
    }

    static let commands = [
        Command(program: "reveille", arguments: ["watch", "--address", "unix:/nowhere/bus"]),
        Command(program: "reveille", arguments: ["get", "battery", "--address", "unix:/nowhere/bus"]),
        Command(program: "reveille", arguments: ["serve", "--address", "unix:bus"], runsOn: true),
        Command(program: "reveille-fleet", arguments: ["watch", "--broker", "localhost:1"]),
        Command(program: "reveille-fleet", arguments: ["status", "--broker", "localhost:1"]),
        Command(program: "reveille-fleet", arguments: ["bridge", "--config", "fleet.json5"], runsOn: true),
        Command(program: "reveille-view", arguments: ["--port", "0"], runsOn: true),
        Command(program: "reveille-dbus", arguments: ["--address", "unix:/nowhere/bus"]),
        Command(program: "reveille-location", arguments: ["--address", "unix:/nowhere/bus"]),
        Command(program: "reveille-sensor-proxy", arguments: ["--address", "unix:/nowhere/bus"]),
    ]

    /// Expects that a command of the program at a path works, or ends with a reason, if something starts it with limits.
    private func expectReason(_ command: Command, _ program: String, limits: [String]) throws {
        try directory.write("{ broker: 'localhost:1', device: 'd' }", to: "fleet.json5")
        let time = command.runsOn ? "1" : "60"
        let run = try ProgramRun(
            ["-C", directory.path] + limits + ["timeout", "--foreground", time, program] + command.arguments,
            program: "env", in: directory, environment: ["HOME": directory.path])
        if command.runsOn, run.code == 124 { return }
        // timeout(1) returns 124, and codes for signals exceed 128.
        #expect((1..<124).contains(run.code), "\(run.code) \(run.errors)")
        #expect(run.errors.hasPrefix(command.program + ": "), "\(run.errors)")
    }

    @Test(arguments: commands, [4, 7, 11, 16])
    func `With few descriptors, a program works or states a reason`(command: Command, limit: Int) throws {
        try expectReason(
            command, ChildProcess.sibling(command.program), limits: ["prlimit", "--nofile=\(limit)"])
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root can switch users, and is not limited itself"), arguments: commands,
        [2, 4])
    func `With few threads, a program works or states a reason`(command: Command, limit: Int) throws {
        let program = try OtherUser.program(ChildProcess.sibling(command.program), in: directory)
        chmod(directory.path, 0o777)
        // A user whose processes are only these.
        let index = try #require(
            Self.commands.firstIndex { $0.program == command.program && $0.arguments == command.arguments })
        let user = "\(64_200 + limit + 10 * index)"
        try expectReason(
            command, program,
            limits: ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "prlimit", "--nproc=\(limit)"])
    }

    @Test(arguments: programs) func `No descriptor of a program takes the place of a closed stream`(
        program: String
    ) throws {
        let bus = try BusProcess()
        let arguments = [
            "reveille": "watch --address \(bus.address)", "reveille-fleet": "bridge --broker localhost:1",
            "reveille-view": "--port 0 --address \(bus.address)", "reveille-location": "--address \(bus.address)",
            "reveille-dbus": "--address \(bus.address)",
            "reveille-sensor-proxy": "--address \(bus.address)",
        ]
        let run = try RunningProgram(
            ["-c", "exec \"$R\" \(arguments[program] ?? "") <&- >&- 2>&-"], program: "sh", in: directory,
            environment: [
                "R": ChildProcess.sibling(program), "HOME": directory.path,
                "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(directory.path)/none",
            ])
        let streams = { (0...2).map { ProcessDescriptors.target(of: "/proc/\(run.process.pid)/fd/\($0)") } }
        // The program is the shell until it is executed; a program that has ended has nothing more to take.
        try wait(for: "the descriptors of the program") {
            run.process.hasEnded
                || ProcessDescriptors.target(of: "/proc/\(run.process.pid)/fd/3") != nil
                    && ProcessDescriptors.target(of: "/proc/\(run.process.pid)/exe")?.hasSuffix("/\(program)") == true
        }
        let found = streams()
        #expect(run.process.hasEnded || found.allSatisfy { $0 == "/dev/null" }, "\(found)")
        run.stop()
    }
}
