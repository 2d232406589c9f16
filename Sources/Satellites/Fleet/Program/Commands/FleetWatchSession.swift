// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleSystem

/// One run of `reveille-fleet watch`: its events, signals and timeout.
///
/// The loop of the main thread handles signals and timers. The reader has a thread of its own: it must read from the
/// broker even while the output is blocked, because brokers drop messages for clients that do not read.
final class FleetWatchSession {
    private let command: FleetWatchCommand
    private let loop: EventLoop
    private let stream: FleetWatchStream
    private let following: AwaitedTask
    private var sources: [EventSource] = []
    private var failure: Failure?
    /// The signal that ended the run.
    private var signal: Int32?

    init(_ command: FleetWatchCommand) throws {
        self.command = command
        loop = try EventLoop()
        stream = try FleetWatchStream(command)
        following = try AwaitedTask()
    }

    /// Prints events until the count is reached, the timeout expires or a signal arrives.
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
        try following.check()
        try stream.end()
        if let failure { throw failure }
        // A script must not continue as if the events had occurred.
        guard let count = command.count else { return }
        if let signal { Signals.die(by: signal) }
        let counted = stream.counted.withLock { $0 }
        if counted < count { throw Failure(.failure, "ended after \(counted) of \(count) events") }
    }
}
