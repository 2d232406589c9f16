// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import ReveilleSystem

package struct LimitOptions: ParsableArguments {
    @Option(
        parsing: .unconditional, help: "Exit after this many events; ending earlier is a failure.",
        transform: Count.parse)
    package var count: Int?

    @Option(
        parsing: .unconditional, help: "Exit with 124 after this many seconds.", transform: Seconds.parse)
    package var timeout: Double?

    package init() {}
}

/// One run of a command that prints events until their count is reached, the timeout expires or a signal arrives.
///
/// The loop of the main thread handles signals and timers. The task that prints has threads of its own.
package final class EventRun {
    package let loop: EventLoop
    // Released before the descriptor that one of them watches.
    private var sources: [EventSource] = []
    /// Prints the events; its failure ends the run.
    package let task: AwaitedTask
    private let limits: LimitOptions
    private let counted: Lock<Int>
    private var failure: Failure?
    private var signal: Int32?

    /// To be created before any thread is started, since threads inherit the signal mask.
    package init(_ limits: LimitOptions, counting counted: Lock<Int>) throws {
        self.limits = limits
        self.counted = counted
        loop = try EventLoop()
        task = try AwaitedTask()
        for number in Signals.ending {
            sources.append(
                try loop.onSignal(number) { [unowned self] in
                    signal = number
                    loop.exit()
                })
        }
        sources.append(try loop.watch(task.end.readingEnd, for: .readable) { [unowned self] _ in loop.exit() })
    }

    /// Runs until the task or something else ends the run, and throws the error that ended the task.
    package func follow(_ body: @escaping @Sendable () async throws -> Void) throws {
        if let timeout = limits.timeout {
            let timer = try loop.timer { [unowned self] in
                let event = counted.withLock { $0 } == 0 ? "no event" : "no further event"
                end(Failure(.timeout, "\(event) within \(Seconds.text(timeout))"))
            }
            timer.fire(after: .seconds(timeout))
            sources.append(timer)
        }
        task.start(body)
        try loop.run()
        try task.check()
    }

    package func end(_ failure: Failure? = nil) {
        self.failure = failure
        loop.exit()
    }

    /// Throws the failure that ended the run, or the failure that it has ended before the count was reached.
    package func checkEnd() throws(Failure) {
        if let failure { throw failure }
        // A script must not continue as if the events had occurred.
        guard let count = limits.count else { return }
        if let signal { Signals.die(by: signal) }
        let counted = counted.withLock { $0 }
        if counted < count { throw Failure(.failure, "ended after \(counted) of \(Count.text(count, "event"))") }
    }
}
