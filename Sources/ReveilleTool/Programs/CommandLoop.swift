// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleSystem

/// The loop of a command on its main thread: its signals, the program that it runs and the task that it follows.
///
/// Everything is registered before any thread is started, because threads inherit the signal mask.
final class CommandLoop {
    let events: EventLoop
    /// The program that the command runs, once it has been started.
    var program: Program?
    /// The signal that ended the loop.
    private(set) var signal: Int32?
    private var sources: [EventSource] = []

    init() throws(SystemError) {
        events = try EventLoop()
    }

    /// Runs until something ends the loop.
    func run() throws(SystemError) { try events.run() }

    /// Retains an event source for as long as the loop.
    func add(_ source: EventSource) { sources.append(source) }

    /// Lets the signals that end a command end the loop.
    func endOnSignals() throws(SystemError) {
        for number in Signals.ending { add(try events.onSignal(number) { [unowned self] in end(by: number) }) }
    }

    /// Passes signals on to the program, whose end ends the loop; a signal before its start ends the loop as well.
    func passSignalsOn() throws(SystemError) {
        for number in Signals.passedOn {
            add(
                try events.onSignal(number) { [unowned self] in
                    if let program { program.pass(number) } else { end(by: number) }
                })
        }
        add(
            try events.onSignal(SIGCHLD) { [unowned self] in
                if program?.hasEnded == true { events.exit() }
            })
    }

    /// Lets the end of a task end the loop.
    func follow(_ task: AwaitedTask) throws(SystemError) {
        add(try events.watch(task.end.readingEnd, for: .readable) { [unowned self] _ in events.exit() })
    }

    private func end(by number: Int32) {
        signal = number
        events.exit()
    }
}
