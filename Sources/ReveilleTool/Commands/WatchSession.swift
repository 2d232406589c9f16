// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Reveille
import ReveilleSystem
import ReveilleWire
import Varlink

/// One run of `reveille watch`: the subscription, the keys, and what ends it.
///
/// Keys, signals and time come to the loop of the program's first thread; events are printed as they are taken, so
/// that what is not read from stdout stays merged.
final class WatchSession {
    private let command: WatchCommand
    private let loop: EventLoop
    private let terminal: RawTerminal?
    private let stream: WatchStream
    private var sources: [EventSource] = []
    private var failure: Failure?

    init(_ command: WatchCommand) throws {
        self.command = command
        loop = try EventLoop()
        terminal = Console.isInteractive && !command.json ? RawTerminal() : nil
        stream = WatchStream(command, isInteractive: terminal != nil, end: try Pipe())
    }

    /// Prints until the count is reached, time is up, the bus ends or a person ends it.
    func run() throws {
        // First of all, so that the threads that follow leave signals to this one.
        for signal in [SIGINT, SIGTERM] {
            sources.append(try loop.onSignal(signal) { [unowned self] in loop.exit() })
        }
        sources.append(try loop.watch(stream.end.readingEnd, for: .readable) { [unowned self] _ in loop.exit() })
        if terminal != nil {
            sources.append(try loop.watch(STDIN_FILENO, for: .readable) { [unowned self] _ in readKey() })
        }
        if let timeout = command.timeout {
            let timer = try loop.timer { [unowned self] in
                failure = Failure(.timeout, "nothing more within \(timeout) seconds")
                loop.exit()
            }
            timer.fire(after: .seconds(timeout))
            sources.append(timer)
        }
        Task { [stream] in await stream.run() }
        try loop.run()
        if let error = stream.failure.withLock({ $0 }) ?? failure { throw error }
    }

    private func readKey() {
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
