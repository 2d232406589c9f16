// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing

/// The program on a terminal, beside a shell with job control.
@Suite(.timeLimit(.minutes(10))) struct TerminalTests {
    private static let driver = #filePath.split(separator: "/").dropLast().joined(separator: "/")

    @Test func watchIsAGoodJobOfItsShell() throws {
        let bus = try BusProcess()
        let run = try ProgramRun(
            ["/" + Self.driver + "/Python/terminal.py", BusProcess.program, "unix:" + bus.socket],
            program: "/usr/bin/python3", in: bus.directory)
        #expect(
            run.output.split(separator: "\n") == [
                "background=Running", "modes beside it=cooked", "modes in the foreground=raw",
                "asleep=battery 1, proximity 1 waiting", "modes while it is stopped=cooked", "modes after fg=raw",
                "background again=Running", "modes after bg and fg=raw", "modes at the end=cooked", "exit code=0",
            ], "\(run.output)\(run.errors)")
    }

    @Test(arguments: [([], "no event within 5 seconds\r\n", 124), (["--initial"], "", 0)])
    func stateThatATerminalShowsUnaskedIsNotCounted(options: [String], message: String, code: Int) throws {
        let bus = try BusProcess()
        let script = """
            import os, pty, sys
            child, terminal = pty.fork()
            if child == 0: os.execv(sys.argv[1], sys.argv[1:])
            said = b""
            try:
                while part := os.read(terminal, 4096): said += part
            except OSError: pass
            sys.stdout.write(said.decode())
            print("exit code", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """
        try bus.directory.write(script, to: "terminal.py")
        let arguments = ["watch", "battery", "--count", "1", "--timeout", options.isEmpty ? "5" : "60"] + options
        let run = try ProgramRun(
            [bus.directory.path + "/terminal.py", BusProcess.program] + arguments + [
                "--address", "unix:" + bus.socket,
            ],
            program: "/usr/bin/python3", in: bus.directory)
        #expect(run.output.contains("now"), "\(run.output)")
        #expect(run.output.hasSuffix("\(message)exit code \(code)\n"), "\(run.output)\(run.errors)")
    }

    @Test func busEndsWithTheTerminalThatItWasStartedFrom() throws {
        let directory = try TemporaryDirectory()
        let script = """
            import os, pty, sys, time
            child, terminal = pty.fork()
            if child == 0: os.execv(sys.argv[1], sys.argv[1:])
            said = b""
            while b"serving" not in said: said += os.read(terminal, 4096)
            os.close(terminal)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """
        try directory.write(script, to: "close.py")
        let run = try ProgramRun(
            [directory.path + "/close.py", BusProcess.program, "serve", "--address", "unix:\(directory.path)/bus"],
            program: "/usr/bin/python3", in: directory)
        #expect(run.output == "0\n", "\(run.errors)")
        #expect(access(directory.path + "/bus", F_OK) != 0)
    }
}
