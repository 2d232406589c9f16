// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing

/// `reveille demo` on a terminal; without one, it waits for nothing.
@Suite(.blocking, .timeLimit(.minutes(5))) struct DemoTests {
    /// Runs the demonstration on a terminal, and presses a key after its first line.
    ///
    /// Returns the output, followed by the exit status and by whether the terminal has its modes.
    private func run(pressing key: String) throws -> String {
        let script = """
            import os, pty, signal, sys, termios
            # This process holds the terminal open after the program has ended.
            terminal, other = pty.openpty()
            child = os.fork()
            if child == 0:
                os.login_tty(other)
                # A shell without job control ignores it in its background.
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                os.environ["TERM"] = "xterm"
                os.environ["NO_COLOR"] = "1"
                os.execv(sys.argv[1], [sys.argv[1], "demo"])
            output, key = b"", sys.argv[2].encode()
            while b"live" not in output: output += os.read(terminal, 4096)
            os.write(terminal, key)
            os.set_blocking(terminal, False)
            while True:
                ended, status = os.waitpid(child, os.WNOHANG)
                if ended: break
                try: output += os.read(terminal, 4096)
                except BlockingIOError: pass
            try: output += os.read(terminal, 65536)
            except BlockingIOError: pass
            cooked = bool(termios.tcgetattr(other)[3] & termios.ICANON)
            print(output.decode(), "status", os.waitstatus_to_exitcode(status), "cooked", cooked)
            """
        return try ProgramRun(
            ["-c", script, BusProcess.program, key], program: "/usr/bin/python3", in: TemporaryDirectory()
        ).output
    }

    @Test func keyEndsTheWaiting() throws {
        let output = try run(pressing: "x")
        #expect(output.contains("6 events: one for each aspect"), "\(output)")
        #expect(output.contains(#/sleeper  waiting: battery 14, \S+ 13/#), "\(output)")
        #expect(output.hasSuffix("status 0 cooked True\n"), "\(output)")
    }

    @Test func interruptRestoresTheTerminal() throws {
        let output = try run(pressing: "\u{3}")
        #expect(!output.contains("6 events: one for each aspect"))
        #expect(output.hasSuffix("status -2 cooked True\n"), "\(output)")
    }
}
