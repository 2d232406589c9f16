// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Reveille
import ReveilleSystem

/// One run of `reveille watch`: its subscription, keys, signals and timeout.
///
/// The loop of the main thread handles keys, signals and timers. An event is taken only when it can be printed, so
/// changes remain merged while stdout is blocked.
final class WatchSession {
    /// The interval at which a background job checks whether it is in the foreground, because shells send SIGCONT only
    /// to stopped jobs.
    private static let terminalCheckInterval: Duration = .milliseconds(500)

    private let command: WatchCommand
    private let loop: EventLoop
    private let terminal: Terminal?
    private let stream: WatchStream
    private let following: AwaitedTask
    private var sources: [EventSource] = []
    private var keys: EventSource?
    private var terminalCheck: EventSource?
    private var failure: Failure?
    /// The signal that ended the run.
    private var signal: Int32?

    init(_ command: WatchCommand) throws {
        self.command = command
        loop = try EventLoop()
        terminal = Console.isInteractive && !command.json ? Terminal() : nil
        stream = WatchStream(
            command,
            stored: try command.state.map { path throws(Failure) in
                try StoredPositions(path, watching: AspectSet(naming: command.aspects))
            },
            isInteractive: terminal != nil)
        following = try AwaitedTask()
    }

    /// Prints events until the count is reached, the timeout expires or the user quits.
    func run() throws {
        // Before any thread is started: threads inherit the signal mask.
        for signal in Signals.ending {
            sources.append(
                try loop.onSignal(signal) { [unowned self] in
                    self.signal = signal
                    loop.exit()
                })
        }
        sources.append(try loop.watch(following.end.readingEnd, for: .readable) { [unowned self] _ in loop.exit() })
        if terminal != nil {
            sources.append(try loop.onSignal(SIGTSTP) { [unowned self] in stop() })
            sources.append(try loop.onSignal(SIGCONT) { [unowned self] in takeTerminal() })
            terminalCheck = try loop.timer { [unowned self] in takeTerminal() }
            takeTerminal()
        }
        if let timeout = command.timeout {
            let timer = try loop.timer { [unowned self] in
                let event = stream.counted.withLock { $0 } == 0 ? "no event" : "no further event"
                failure = Failure(.timeout, "\(event) within \(Seconds.text(timeout))")
                loop.exit()
            }
            timer.fire(after: .seconds(timeout))
            sources.append(timer)
        }
        following.start { [stream] in try await stream.run() }
        try loop.run()
        leaveTerminal()
        try following.check()
        if let failure { throw failure }
        // A script must not continue as if the events had occurred.
        guard let count = command.count else { return }
        if let signal { Signals.die(by: signal) }
        let counted = stream.counted.withLock { $0 }
        if counted < count { throw Failure(.failure, "ended after \(counted) of \(count) events") }
    }

    // MARK: - The terminal

    /// Starts reading keys if this process is in the foreground.
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
        terminalCheck?.fire(after: Self.terminalCheckInterval)
        if terminal?.isOurs == true { stream.prompt.hide() } else { stream.prompt.forget() }
        terminal?.leaveRawMode()
    }

    /// Stops the process as Ctrl-Z does by default, with the terminal's modes restored.
    private func stop() {
        leaveTerminal()
        // The signal is blocked and stays pending. Unblocking it stops the process until SIGCONT.
        raise(SIGTSTP)
        Signals.setMask(SIG_UNBLOCK, SIGTSTP)
        Signals.setMask(SIG_BLOCK, SIGTSTP)
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
        Task { [stream, following] in
            do {
                try await stream.setState(isBackground: isBackground)
            } catch {
                following.fail(error)
            }
        }
    }
}
