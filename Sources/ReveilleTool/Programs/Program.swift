// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleSystem

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
        _ = try Failure.coded(.notStarted) { try ExecutableSearch.find(command[0]) }
    }

    /// Starts a program, which is looked up in `PATH`.
    ///
    /// The program gets descriptors of this process under other numbers; others from 0 to 2 are shared.
    init(
        _ command: [String], environment: [String: String], descriptors: [Int32: Int32] = [:]
    ) throws(Failure) {
        let isApart = tcgetpgrp(STDIN_FILENO) != getpgrp()
        self.isApart = isApart
        process = try Failure.coded(.notStarted) {
            try ChildProcess(command, environment: environment, descriptors: descriptors, isApart: isApart)
        }
    }

    var hasEnded: Bool { process.hasEnded }

    /// The exit code, or 128 plus the signal; `nil` until the program is known to have ended.
    var exitCode: Int32? { process.exitCode }

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

/// The loop of a command on its main thread: its signals and the program that it runs.
///
/// Everything is registered before any thread is started, because threads inherit the signal mask.
final class CommandLoop {
    let events: EventLoop
    var program: Program?
    private(set) var signal: Int32?
    private var sources: [EventSource] = []

    init() throws(SystemError) {
        events = try EventLoop()
    }

    /// Passes signals on to the program, whose end ends the loop; a signal before its start ends the loop as well.
    func passSignalsOn() throws(SystemError) {
        for number in Signals.passedOn {
            sources.append(
                try events.onSignal(number) { [unowned self] in
                    if let program { return program.pass(number) }
                    signal = number
                    events.exit()
                })
        }
        sources.append(
            try events.onSignal(SIGCHLD) { [unowned self] in
                if program?.hasEnded == true { events.exit() }
            })
    }
}
