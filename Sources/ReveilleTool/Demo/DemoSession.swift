// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleConsole
import ReveilleSystem

/// One run of `reveille demo`: its pace, keys and signals, which the loop of the main thread handles.
final class DemoSession {
    /// The time limit of a demonstration, which without pauses takes a second or two.
    private static let patience: Duration = .seconds(60)
    /// The time of a demonstration that people watch: long enough to read along, and short enough to stay.
    private static let length: Duration = .seconds(10)

    private let loop: EventLoop
    /// The terminal, if keys are read.
    private let job: TerminalJob?
    private let playing: AwaitedTask
    private let pace: AsyncStream<Void>
    /// Ends a pause with each element, and all of them when it is finished.
    private let clock: AsyncStream<Void>.Continuation
    private var sources: [EventSource] = []
    private var timer: EventSource?
    /// The signal that ended the run.
    private var signal: Int32?

    init() throws {
        loop = try EventLoop()
        job = Console.isInteractive ? TerminalJob(loop) : nil
        playing = try AwaitedTask()
        // A pause that ends while a change is awaited counts.
        (pace, clock) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Plays until the demonstration or a signal ends it.
    func run() throws {
        // Before any thread is started: threads inherit the signal mask.
        for number in Signals.ending {
            sources.append(
                try loop.onSignal(number) { [unowned self] in
                    signal = number
                    loop.exit()
                })
        }
        sources.append(try loop.watch(playing.end.readingEnd, for: .readable) { [unowned self] _ in loop.exit() })
        try setPace()
        playing.start { [pace] in
            try await withThrowingTaskGroup { group in
                group.addTask { try await DemoStage().play(pace: pace) }
                group.addTask {
                    try await Task.sleep(for: Self.patience)
                    throw Failure(.timeout, "a change did not arrive within \(Self.patience)")
                }
                try await group.next()
                group.cancelAll()
            }
        }
        try loop.run()
        job?.leave()
        if let signal { Signals.die(by: signal) }
        try playing.check()
    }

    /// Lets pauses last on a terminal until a key is pressed.
    private func setPace() throws(SystemError) {
        guard Console.isTerminal else { return clock.finish() }
        let timer = try loop.timer { [unowned self] in
            clock.yield()
            self.timer?.fire(after: Self.length / DemoStage.pauses)
        }
        self.timer = timer
        timer.fire(after: Self.length / DemoStage.pauses)
        job?.onKeys = { [clock] _ in clock.finish() }
        job?.onEnd = { [clock] _ in clock.finish() }
        try job?.start()
    }
}
