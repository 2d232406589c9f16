// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem

/// One run of `reveille watch`: the subscription, the keys, and what ends it.
///
/// Keys, signals and time come to the loop of the program's first thread; events are printed as they are taken, so
/// that what is not read from stdout stays merged.
final class WatchSession {
    /// How soon a job that was in the background notices that it is in the foreground: shells tell those alone that
    /// were stopped.
    private static let glance: Duration = .milliseconds(500)

    private let command: WatchCommand
    private let loop: EventLoop
    private let terminal: Terminal?
    private let stream: WatchStream
    private var sources: [EventSource] = []
    private var keys: EventSource?
    private var look: EventSource?
    private var failure: Failure?
    /// The signal that ended this.
    private var signal: Int32?

    init(_ command: WatchCommand) throws {
        self.command = command
        loop = try EventLoop()
        terminal = Console.isInteractive && !command.json ? Terminal() : nil
        stream = WatchStream(
            command, stored: try command.state.map { path throws(Failure) in try StoredPositions(path) },
            isInteractive: terminal != nil, end: try Pipe())
    }

    /// Prints until the count is reached, time is up or a person ends it.
    func run() throws {
        // First of all, so that the threads that follow leave signals to this one.
        for signal in [SIGINT, SIGTERM, SIGHUP] where !IgnoredSignals.contains(signal) {
            sources.append(
                try loop.onSignal(signal) { [unowned self] in
                    self.signal = signal
                    loop.exit()
                })
        }
        sources.append(try loop.watch(stream.end.readingEnd, for: .readable) { [unowned self] _ in loop.exit() })
        if terminal != nil {
            sources.append(try loop.onSignal(SIGTSTP) { [unowned self] in stop() })
            sources.append(try loop.onSignal(SIGCONT) { [unowned self] in takeTerminal() })
            look = try loop.timer { [unowned self] in takeTerminal() }
            takeTerminal()
        }
        if let timeout = command.timeout {
            let timer = try loop.timer { [unowned self] in
                let lack = stream.counted.withLock { $0 } == 0 ? "no event" : "nothing more"
                failure = Failure(.timeout, "\(lack) within \(Seconds.text(timeout))")
                loop.exit()
            }
            timer.fire(after: .seconds(timeout))
            sources.append(timer)
        }
        Task { [stream] in await stream.run() }
        try loop.run()
        leaveTerminal()
        if let error = stream.failure.withLock({ $0 }) ?? failure { throw error }
        // What a script does once the events have come, it does not do without them.
        if let signal, command.count != nil { die(by: signal) }
    }

    /// Ends the process as the signal itself would have.
    private func die(by number: Int32) -> Never {
        Glibc.signal(number, SIG_DFL)
        raise(number)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        exit(128 + number)
    }

    // MARK: - The terminal

    /// Reads keys from here on, if this process is in the foreground.
    private func takeTerminal() {
        guard terminal?.enterRawMode() == true else { return leaveTerminal() }
        stream.prompt.show()
        guard keys == nil else { return }
        do throws(SystemError) {
            keys = try loop.watch(STDIN_FILENO, for: .readable) { [unowned self] _ in readKey() }
        } catch {
            failure = Failure(.failure, "\(error)")
            loop.exit()
        }
    }

    private func leaveTerminal() {
        keys = nil
        look?.fire(after: Self.glance)
        if terminal?.isOurs == true { stream.prompt.hide() } else { stream.prompt.forget() }
        terminal?.leaveRawMode()
    }

    /// Stops as every program does at Ctrl-Z, with the terminal as it was before.
    private func stop() {
        leaveTerminal()
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTSTP)
        // It waits for the moment in which it is let through; the next line goes on behind SIGCONT.
        raise(SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        takeTerminal()
    }

    private func readKey() {
        guard terminal?.isOurs == true else { return leaveTerminal() }
        var key: UInt8 = 0
        guard read(STDIN_FILENO, &key, 1) == 1 else { return loop.exit() }
        switch key {
        case UInt8(ascii: "b"): setState(isBackground: true)
        case UInt8(ascii: "f"): setState(isBackground: false)
        case UInt8(ascii: "q"), 4: loop.exit()
        default: break
        }
    }

    private func setState(isBackground: Bool) {
        Task { [stream] in await stream.setState(isBackground: isBackground) }
    }
}
