// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem

/// One run of `reveille watch`: its subscription, keys, signals and timeout.
///
/// The loop of the main thread handles keys, signals and timers. An event is taken only when it can be printed, so
/// changes remain merged while stdout is blocked.
final class WatchSession {
    private let command: WatchCommand
    private let loop: CommandLoop
    /// The terminal, if keys are read.
    private let job: TerminalJob?
    private let stream: WatchStream
    private let following: AwaitedTask
    private var failure: Failure?

    init(_ command: WatchCommand) throws {
        self.command = command
        loop = try CommandLoop()
        job = Console.isInteractive && !command.json ? TerminalJob(loop.events) : nil
        stream = WatchStream(
            command,
            stored: try command.state.map { path throws(Failure) in
                try StoredPositions(path, watching: AspectSet(naming: command.aspects))
            },
            isInteractive: job != nil)
        following = try AwaitedTask()
    }

    /// Prints events until the count is reached, the timeout expires or the user quits.
    func run() throws {
        try loop.endOnSignals()
        try loop.follow(following)
        try takeTerminal()
        if let timeout = command.timeout {
            let timer = try loop.events.timer { [unowned self] in
                let event = stream.counted.withLock { $0 } == 0 ? "no event" : "no further event"
                failure = Failure(.timeout, "\(event) within \(Seconds.text(timeout))")
                loop.events.exit()
            }
            timer.fire(after: .seconds(timeout))
            loop.add(timer)
        }
        following.start { [stream] in try await stream.run() }
        try loop.run()
        job?.leave()
        try following.check()
        if let failure { throw failure }
        // A script must not continue as if the events had occurred.
        guard let count = command.count else { return }
        if let signal = loop.signal { Signals.die(by: signal) }
        let counted = stream.counted.withLock { $0 }
        if counted < count { throw Failure(.failure, "ended after \(counted) of \(count) events") }
    }

    // MARK: - The terminal

    /// Shows the prompt and reads keys while this process is in the foreground.
    private func takeTerminal() throws(SystemError) {
        job?.onEnter = { [stream] in stream.prompt.show() }
        job?.onLeave = { [stream] in stream.prompt.hide(isOurs: $0) }
        job?.onKeys = { [unowned self] keys in keys.forEach(press) }
        job?.onEnd = { [unowned self] error in
            failure = error.map { Failure(.failure, "\($0)") }
            loop.events.exit()
        }
        try job?.start()
    }

    private func press(_ key: UInt8) {
        switch key {
        case UInt8(ascii: "b"): setState(isBackground: true)
        case UInt8(ascii: "f"): setState(isBackground: false)
        case UInt8(ascii: "q"), 4: loop.events.exit()
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
