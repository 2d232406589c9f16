// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleSystem

/// A program that reads keys from its terminal while it is in the foreground, and gives the terminal back otherwise.
///
/// It belongs to the thread of its loop.
final class TerminalJob {
    /// The signals that it handles, which every other thread must block.
    static let signals = [SIGTSTP, SIGCONT]
    /// How often a background job checks whether it is in the foreground: shells send SIGCONT only to stopped jobs.
    private static let checkInterval: Duration = .milliseconds(500)
    /// The number of bytes that are read at once: more than a key or a pasted line.
    private static let readSize = 1_024

    /// Called when the program has the terminal, again after each time it was stopped.
    var onEnter: () -> Void = {}
    /// Called before the program gives the terminal back, and with `false` when another job already uses it.
    var onLeave: (_ isOurs: Bool) -> Void = { _ in }
    var onKeys: ([UInt8]) -> Void = { _ in }
    /// Called when no more keys can be read, with an error if that is the reason.
    var onEnd: (SystemError?) -> Void = { _ in }

    private let loop: EventLoop
    private let terminal = Terminal()
    private var signals: [EventSource] = []
    private var keys: EventSource?
    private var check: EventSource?

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    /// Takes the terminal if this process is in the foreground.
    ///
    /// To be called before any thread is started: threads inherit the signal mask.
    func start() throws(SystemError) {
        signals.append(try loop.onSignal(SIGTSTP) { [unowned self] in stop() })
        signals.append(try loop.onSignal(SIGCONT) { [unowned self] in take() })
        check = try loop.timer { [unowned self] in take() }
        take()
    }

    /// Gives the terminal back, with its earlier modes.
    func leave() {
        keys = nil
        check?.fire(after: Self.checkInterval)
        onLeave(terminal.isOurs)
        terminal.leaveRawMode()
    }

    private func take() {
        guard terminal.enterRawMode() else { return leave() }
        onEnter()
        guard keys == nil else { return }
        do throws(SystemError) {
            keys = try loop.watch(STDIN_FILENO, for: .readable) { [unowned self] _ in readKeys() }
        } catch {
            onEnd(error)
        }
    }

    /// Stops the process as Ctrl-Z does by default, with the terminal's modes restored.
    private func stop() {
        leave()
        // The signal is blocked and stays pending. Unblocking it stops the process until SIGCONT.
        raise(SIGTSTP)
        EventLoop.setMask(SIG_UNBLOCK, SIGTSTP)
        EventLoop.setMask(SIG_BLOCK, SIGTSTP)
        take()
    }

    private func readKeys() {
        guard terminal.isOurs else { return leave() }
        var bytes = [UInt8](repeating: 0, count: Self.readSize)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else { return onEnd(nil) }
        onKeys(Array(bytes[..<count]))
    }
}
