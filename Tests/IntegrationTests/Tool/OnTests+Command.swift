// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// `reveille on`: the command that it runs, its input and its end.
extension OnTests {
    @Test("the command receives the event on stdin and in its environment") func commandReceivesTheEvent() throws {
        let watch = try RunningProgram(
            ["watch", "battery", "--json"], in: scene.bus.directory,
            environment: ["REVEILLE_ADDRESS": scene.bus.address])
        let script = #"cat; echo "$REVEILLE_EVENT"; echo "$REVEILLE_ASPECT $REVEILLE_CHANGES""#
        let run = try scene.start([], ["sh", "-c", script], environment: ["REVEILLE_EVENT": "outer"])
        try wait(for: "both subscriptions") { try scene.bus.client().subscriptions().count == 2 }
        try scene.post(0.09)
        try wait(for: "three lines") { run.output.split(separator: "\n").count == 3 }
        try wait(for: "the event of watch") { watch.output.hasSuffix("\n") }
        #expect(run.output == watch.output + watch.output + "battery 1\n")
    }

    @Test("a long event is complete on stdin, and not in the environment") func longEventIsNotInTheEnvironment() throws
    {
        let scene = OnScene(try BusProcess(configuration: "{ bus: { maxFrame: 1048576 } }"))
        let script = #"echo "${REVEILLE_EVENT-unset} $REVEILLE_CHANGES"; wc -c; true"#
        let run = try scene.start([], ["sh", "-c", script])
        let packs = (0..<3_000).map { #"{"name":"pack\#($0)","level":0.05,"chargeStatus":"full"}"# }.joined(
            separator: ",")
        let battery = #"{"state":"full","level":0.05,"plugged":true,"chargeStatus":"full","packs":[\#(packs)]}"#
        #expect(try scene.bus.client().call("Post", #"{"battery":\#(battery)}"#).error == nil)
        try wait(for: "two lines") { run.output.split(separator: "\n").count == 2 }
        let lines = run.output.split(separator: "\n")
        #expect(lines[0] == "unset 1")
        #expect(try #require(Int(lines[1])) > 131_072)
        // The command need not read the event.
        try scene.post(0.5, 0.05)
        try wait(for: "the next run") { run.output.split(separator: "\n").count == 4 }
        #expect(run.reports.isEmpty)
    }

    @Test("the command inherits no descriptors, signal masks or ignored signals") func commandInheritsNothing() throws {
        let script =
            "ls /proc/self/fd; grep -E '^Sig(Blk|Ign)' /proc/self/status; test $(ps -o pgid= $$) = $$ && echo leader"
        let run = try RunningProgram(
            ["-c", #"trap '' PIPE CHLD; exec "$0" "$@""#, BusProcess.program, "on"] + scene.low
                + ["--address", scene.bus.address, "--", "sh", "-c", script],
            program: "sh", in: scene.bus.directory)
        try scene.post(0.09)
        try wait(for: "the output") { run.output.contains("leader") }
        // The directory is open itself.
        let output = run.output
        #expect(output.hasPrefix("0\n1\n2\n3\nSigBlk:\t0000000000000000\nSigIgn:"))
        let mask = output.split(separator: "SigIgn:\t").last?.prefix(16) ?? ""
        // Above 31 are signals that libc uses itself.
        #expect(try #require(UInt64(mask, radix: 16)) & 0x7FFF_FFFF == 0)
        try scene.post(0.5, 0.08)
        try wait(for: "the next run") {
            run.output.split(separator: "leader").count > 2 || run.output.hasSuffix("leader\n")
        }
        #expect(run.stop() == 0)
    }

    @Test(
        "a command that fails is reported and does not end the program",
        arguments: [("exit 3", "3"), ("kill -KILL $$", "137 (SIGKILL)")])
    func failingCommandIsReported(script: String, code: String) throws {
        let run = try scene.start([], ["sh", "-c", "cat; \(script)"])
        try scene.post(0.09)
        try wait(for: "the report") { run.reports == "reveille: sh: exit code \(code)\n" }
        try scene.post(0.5, 0.08)
        try scene.waitForRuns(of: run, at: [0.09, 0.08])
        try wait(for: "both reports") { run.reports.split(separator: "\n").count == 2 }
    }

    @Test("a command that cannot be started is reported before anything is watched")
    func missingCommandIsReported() throws {
        let nowhere = ["REVEILLE_ADDRESS": "unix:" + scene.path("nowhere")]
        try scene.bus.directory.write("", to: "plain")
        for (command, reason) in [
            ("", "No such file or directory (ENOENT)"),
            (scene.path("missing"), "No such file or directory (ENOENT)"),
            (scene.path("plain"), "Permission denied (EACCES)"), ("/", "Permission denied (EACCES)"),
        ] {
            let run = try scene.run(scene.low + ["--", command], environment: nowhere)
            #expect(run.code == 127)
            #expect(run.errors == "reveille: exec \(command): \(reason)\n")
        }
        let absent = try scene.run(scene.low + ["--", "no-such-program"], environment: nowhere)
        #expect(absent.code == 127 && absent.errors == "reveille: no-such-program: command not found\n")
        #expect(try scene.run(scene.low + ["--", "true"], environment: nowhere).code == 69)
        // A file in an earlier directory that cannot be executed does not hide one in a later directory.
        try scene.bus.directory.write("", to: "first/here")
        try scene.bus.directory.write("", to: "second/here")
        #expect(chmod(scene.path("second/here"), 0o700) == 0)
        for (path, code) in [("first", 127), ("second", 69), ("first:none:second", 69)] {
            let directories = path.split(separator: ":").map { scene.path(String($0)) }.joined(separator: ":")
            let run = try scene.run(
                scene.low + ["--", "here"], environment: nowhere.merging(["PATH": directories]) { $1 })
            #expect(run.code == code, "\(run.errors)")
        }
    }

    @Test("a command that disappears ends the program, and the run is not lost") func commandDisappears() throws {
        let command = scene.path("command")
        func install() throws {
            try scene.bus.directory.write("#!/bin/sh\ncat\n", to: "command")
            #expect(chmod(command, 0o700) == 0)
        }
        try install()
        let options = ["--state", scene.path("state")]
        let run = try scene.start(options, [command])
        try wait(for: "the state") { access(scene.path("state"), F_OK) == 0 }
        unlink(command)
        try scene.post(0.09)
        #expect(run.process.wait() == 127)
        #expect(run.reports == "reveille: exec \(command): No such file or directory (ENOENT)\n")
        try install()
        let next = try scene.start(options, [command])
        try scene.waitForRuns(of: next, at: [0.09])
    }

    @Test(
        "a signal is passed on to the running command, whose run is then complete",
        arguments: [(SIGINT, "INT"), (SIGTERM, "TERM"), (SIGHUP, "HUP"), (SIGQUIT, "QUIT")])
    func signalIsPassedOn(signal: Int32, name: String) throws {
        let script = "trap 'kill $!; echo caught; exit 5' \(name); cat; sleep 1000 & echo ready >&2; wait"
        let options = ["--state", scene.path("state")]
        let run = try scene.start(options, ["sh", "-c", script])
        try scene.post(0.09)
        try wait(for: "the command") { run.errors.contains("ready") }
        run.process.signal(signal)
        #expect(run.process.wait() == 0)
        #expect(run.output.hasSuffix("\ncaught\n"))
        // The shell may report the end of its own child.
        #expect(!run.reports.contains("reveille"), "\(run.errors)")
        let next = try scene.start(options)
        try scene.post(0.5, 0.08)
        try scene.waitForRuns(of: next, at: [0.08])
    }

    @Test("a signal that arrives while the command is being started is passed on to it") func earlySignalIsPassedOn()
        throws
    {
        let script = "trap 'kill $!; exit 5' TERM; sleep 1000 & kill -TERM $PPID; wait"
        for _ in 0..<20 {
            try scene.post(0.5)
            let run = try scene.start([], ["sh", "-c", script])
            try scene.post(0.09)
            try wait(for: "the end of the program") { run.process.hasEnded }
            #expect(run.process.exitCode == 0)
        }
    }

    private static let invalidArguments: [([String], String)] = [
        (["battery", "--domain", "app", "--", "true"], "--domain requires the aspect defaults"),
        (["battery", "level < 0.1"], "missing command: reveille on ASPECT 'CONDITION' -- COMMAND"),
        (["battery", "levle < 0.1", "--", "true"], "levle: unknown field of battery; did you mean level?\n"),
        (["battery", "(level < 0.1", "--", "true"], "(level < 0.1: the ( at column 1 is not closed\n"),
        (["battery", "\u{1B}[2J", "--", "true"], #"\u{1B}[2J: unexpected '\u{1B}' at column 1"#),
        (
            ["defaults", "domains == app", "--", "true"],
            "defaults has no condition; 'defaults --domain DOMAIN -- COMMAND' runs for each change\n"
        ),
        (["battery", "--", "true"], "Missing expected argument '<condition>'"),
        (["batery", "level < 0.1", "--", "true"], "did you mean battery?"),
        (
            ["org.example.*", "a == 1", "--", "true"],
            "org.example.*: a condition applies to one aspect, not to a pattern"
        ),
        (["--count", "0", "battery", "level < 0.1", "--", "true"], "it must be a whole number of at least 1"),
        (["--state", "", "battery", "level < 0.1", "--", "true"], "--state must not be empty"),
    ]

    @Test("invalid arguments are reported") func invalidArgumentsAreReported() throws {
        for (arguments, message) in Self.invalidArguments {
            let run = try scene.run(arguments)
            #expect(run.code == 64, "\(arguments)")
            #expect(run.errors.contains(message), "\(run.errors)")
        }
    }

    @Test("the conditions in the documents are valid") func conditionsInTheDocumentsAreValid() throws {
        let help = try scene.run(["--help"]).output
        let documents = try ["README.md", "Sources/Reveille/Reveille.docc/AnyLanguage.md"].map(Package.text)
        let examples = (documents + [help]).flatMap { $0.matches(of: #/reveille on (\S+) '([^']+)' /#) }
        #expect(examples.count > 6)
        for example in examples where example.1 != "ASPECT" {
            let run = try scene.run(
                [String(example.1), String(example.2), "--", "true"], environment: ["REVEILLE_ADDRESS": "unix:/nowhere"]
            )
            #expect(run.code == 69, "\(run.errors)")
        }
    }
}
