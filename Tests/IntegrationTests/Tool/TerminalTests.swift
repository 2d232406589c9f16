// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing

@Suite(.blocking, .timeLimit(.minutes(10))) struct TerminalTests {
    @Test func watchSupportsJobControl() throws {
        let bus = try BusProcess()
        let run = try bus.run(
            [Package.python + "terminal.py", BusProcess.program, bus.address], program: "/usr/bin/python3")
        #expect(
            run.output.split(separator: "\n") == [
                "background=Running", "modes beside it=cooked", "modes in the foreground=raw",
                "asleep=battery 1, proximity 1 pending", "modes while it is stopped=cooked", "modes after fg=raw",
                "background again=Running", "modes after bg and fg=raw", "modes at the end=cooked", "exit code=0",
            ], "\(run.output)\(run.errors)")
    }

    /// Runs `watch` on a terminal of 60 columns, pressing keys after the initial state, and returns the output and exit
    /// code.
    private func watch(
        _ options: [String], aspect: String = "battery", keys: String = "", on bus: BusProcess? = nil
    ) throws -> String {
        let bus = try bus ?? BusProcess()
        let script = """
            import os, pty, sys
            child, terminal = pty.fork()
            if child == 0: os.execv(sys.argv[2], sys.argv[2:])
            keys = sys.argv[1].encode()
            output = b""
            try:
                while part := os.read(terminal, 4096):
                    output += part
                    if keys and b"now" in output: keys = keys[os.write(terminal, keys):]
            except OSError: pass
            sys.stdout.write(output.decode())
            print("exit code", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """
        let run = try bus.run(
            ["-c", script, keys, "/usr/bin/env", "NO_COLOR=1", "COLUMNS=60", BusProcess.program, "watch", aspect]
                + options,
            program: "/usr/bin/python3")
        #expect(run.output.contains("now"), "\(run.output)")
        return run.output + run.errors
    }

    @Test(
        arguments: [
            (["--timeout", "5"], "no event within 5 seconds\r\nexit code 124\n"),
            (["--timeout", "60", "--initial"], "exit code 0\n"),
        ])
    func implicitInitialStateIsNotCounted(options: [String], end: String) throws {
        let output = try watch(["--count", "1"] + options)
        #expect(output.hasSuffix(end), "\(output)")
    }

    @Test(arguments: [([], "exit code 0\n"), (["--count", "3"], "ended after 0 of 3 events\r\nexit code 1\n")])
    func quittingBeforeTheCountIsAFailure(options: [String], end: String) throws {
        let output = try watch(options, keys: "q")
        #expect(output.hasSuffix(end), "\(output)")
    }

    @Test func longValueIsTruncatedToTheWidthOfTheTerminal() throws {
        let bus = try BusProcess()
        let value = #"{"text":""# + String(repeating: "\u{754C}", count: 200) + #""}"#
        try bus.client().call("Publish", #"{"aspect":"org.example.long","value":\#(value)}"#)
        let output = try watch([], aspect: "org.example.long", keys: "q", on: bus)
        let line = try #require(output.split(separator: "\r\n").first { $0.contains("org.example.long") })
        // A wide character does not fit into the last column but one.
        let state = #"now       org.example.long  {"text":""# + String(repeating: "\u{754C}", count: 11) + "…"
        #expect(line.hasSuffix(state), "\(output)")
        // Other output is complete.
        #expect(try bus.run(["watch", "org.example.long", "--initial", "--count", "1"]).output.contains(value))
        #expect(try bus.run(["get", "org.example.long"]).output.contains(value))
    }

    @Test func busEndsWithItsTerminal() throws {
        let directory = try TemporaryDirectory()
        let script = """
            import os, pty, sys, time
            child, terminal = pty.fork()
            if child == 0: os.execv(sys.argv[1], sys.argv[1:])
            output = b""
            while b"serving" not in output: output += os.read(terminal, 4096)
            os.close(terminal)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """
        let run = try ProgramRun(
            ["-c", script, BusProcess.program, "serve", "--address", "unix:\(directory.path)/bus"],
            program: "/usr/bin/python3", in: directory)
        #expect(run.output == "0\n", "\(run.errors)")
        #expect(access(directory.path + "/bus", F_OK) != 0)
    }
}
