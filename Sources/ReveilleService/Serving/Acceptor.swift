// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleSystem

/// Accepts connections from one listening socket.
///
/// When descriptors run out, it pauses until a descriptor is returned or a short time has passed. Otherwise, the same
/// waiting connection would wake the loop over and over. When connections come at full speed, it rests after each turn
/// for as long as the turn took. Otherwise, the connections that are served last would never have a turn.
final class Acceptor {
    /// The most connections that are accepted before other sources have their turn: about a millisecond.
    private static let acceptsPerTurn = 100
    /// How long to wait for a returned descriptor.
    private static let pause: Duration = .milliseconds(200)

    private let listener: UnixListener
    private let loop: EventLoop
    private let serve: (any ByteStream) -> Void
    private let logger: Logger
    private var source: EventSource?
    private var timer: EventSource?
    private var isResting = false
    /// Whether connections wait, and the reason has been logged.
    private var isWaiting = false

    init(
        listener: UnixListener, loop: EventLoop, logger: Logger, serve: @escaping (any ByteStream) -> Void
    ) throws(SystemError) {
        self.listener = listener
        self.loop = loop
        self.logger = logger
        self.serve = serve
        timer = try loop.timer(
            handler: weakly(self) {
                $0.isResting = false
                $0.resume()
            })
        try listen()
    }

    deinit {
        source?.cancel()
    }

    func resume() {
        guard source == nil, !isResting else { return }
        do throws(SystemError) {
            try listen()
        } catch {
            logger.error("\(error)")
            timer?.fire(after: Self.pause)
        }
    }

    private func listen() throws(SystemError) {
        source = try loop.watch(
            listener.number, for: .readable, handler: weakly(self) { acceptor, _ in acceptor.accept() })
    }

    private func accept() {
        let start = loop.bootClock
        do throws(SystemError) {
            for _ in 0..<Self.acceptsPerTurn {
                switch try listener.accept() {
                case .connection(let stream): serve(stream)
                case .none:
                    isWaiting = false
                    return
                case .exhausted(let error): return wait(error)
                }
            }
            isResting = true
            source = nil
            timer?.fire(after: .microseconds(loop.bootClock - start))
        } catch {
            wait(error)
        }
    }

    private func wait(_ error: SystemError) {
        if !isWaiting { logger.warning("new connections are waiting: \(error)") }
        isWaiting = true
        source = nil
        timer?.fire(after: Self.pause)
    }
}
