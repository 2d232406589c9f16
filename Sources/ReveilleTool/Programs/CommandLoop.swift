// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleSystem

/// The loop of a command on its main thread: its signals and the program that it runs.
///
/// Everything is registered before any thread is started, because threads inherit the signal mask.
final class CommandLoop {
    let events: EventLoop
    var program: Program?
    /// The signal that ended the loop.
    private(set) var signal: Int32?
    private var sources: [EventSource] = []

    init() throws(SystemError) {
        events = try EventLoop()
    }

    func run() throws(SystemError) { try events.run() }

    /// Retains an event source for as long as the loop.
    func add(_ source: EventSource) { sources.append(source) }

    /// Passes signals on to the program, whose end ends the loop; a signal before its start ends the loop as well.
    func passSignalsOn() throws(SystemError) {
        for number in Signals.passedOn {
            add(
                try events.onSignal(number) { [unowned self] in
                    if let program { return program.pass(number) }
                    signal = number
                    events.exit()
                })
        }
        add(
            try events.onSignal(SIGCHLD) { [unowned self] in
                if program?.hasEnded == true { events.exit() }
            })
    }

}
