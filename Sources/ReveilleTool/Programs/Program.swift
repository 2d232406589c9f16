// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleSystem

/// A program that a command runs, and that receives the command's signals.
final class Program {
    /// The signals that a terminal sends to all processes of its foreground group when a key is pressed.
    private static let keys = [SIGINT, SIGQUIT]

    private let process: ChildProcess
    /// Whether the program leads its own process group.
    ///
    /// In the foreground of a terminal the program stays in the command's group: another group would be stopped for
    /// reading from the terminal.
    private let isApart: Bool

    /// Checks that a program exists and is executable.
    static func check(_ command: [String]) throws(Failure) {
        _ = try found(command[0]) { () throws(SystemError) in try ExecutableSearch.find(command[0]) }
    }

    /// Runs a body that looks up a program by its name or path.
    private static func found<Value>(
        _ name: String, _ body: () throws(SystemError) -> Value
    ) throws(Failure) -> Value {
        do throws(SystemError) {
            return try body()
        } catch {
            let isName = error.code == ENOENT && !name.isEmpty && !name.utf8.contains(UInt8(ascii: "/"))
            throw Failure(.notStarted, isName ? "\(name): command not found" : "\(error)")
        }
    }

    /// Starts a program, which is looked up in `PATH`.
    ///
    /// The program gets descriptors of this process under other numbers; others from 0 to 2 are shared.
    init(_ command: [String], environment: [String: String], descriptors: [Int32: Int32]) throws(Failure) {
        let isApart = tcgetpgrp(STDIN_FILENO) != getpgrp()
        self.isApart = isApart
        process = try Self.found(command[0]) { () throws(SystemError) in
            try ChildProcess(command, environment: environment, descriptors: descriptors, isApart: isApart)
        }
    }

    /// The exit code, or 128 plus the signal, once the program has ended.
    var end: Int32? { process.hasEnded ? process.exitCode : nil }

    /// The end in words: `exit code 3`, or `exit code 137 (SIGKILL)`, as shells write it.
    static func text(ofEnd code: Int32) -> String {
        "exit code \(code)" + (signals[code - 128].map { " (\($0))" } ?? "")
    }

    /// The names of the signals that end programs.
    private static let signals: [Int32: String] = [
        SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS",
        SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGSEGV: "SIGSEGV", SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM",
        SIGTERM: "SIGTERM", SIGSYS: "SIGSYS",
    ]

    func pass(_ number: Int32) {
        // In the same process group, the program has received the terminal's signal too.
        if Self.keys.contains(number) && !isApart { return }
        signal(number)
    }

    /// Sends a signal to the program, or to its whole process group if it leads one.
    func signal(_ number: Int32) {
        // The pid is not reused before the program has been waited for.
        if isApart && process.exitCode == nil { kill(-process.pid, number) } else { process.signal(number) }
    }
}
