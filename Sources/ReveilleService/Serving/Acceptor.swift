// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
import ReveilleSystem

/// Accepts connections from one listening socket.
///
/// When descriptors run out, it pauses until one is returned or a short time has passed. Otherwise, the same waiting
/// connection would wake the loop over and over.
final class Acceptor {
    /// The most connections that are accepted before other sources have their turn.
    private static let acceptsPerTurn = 16
    /// How long to wait for a returned descriptor.
    private static let pause: Duration = .milliseconds(200)

    private let listener: UnixListener
    private let loop: EventLoop
    private let broker: Broker
    private let logger: Logger
    private var source: EventSource?
    private var timer: EventSource?
    /// Whether connections wait, and the reason has been logged.
    private var isWaiting = false

    init(listener: UnixListener, loop: EventLoop, broker: Broker, logger: Logger) throws(SystemError) {
        self.listener = listener
        self.loop = loop
        self.broker = broker
        self.logger = logger
        timer = try loop.timer { [weak self] in self?.resume() }
        try listen()
    }

    /// Accepts again after a pause.
    func resume() {
        guard source == nil else { return }
        do throws(SystemError) {
            try listen()
        } catch {
            logger.error("\(error)")
            timer?.fire(after: Self.pause)
        }
    }

    private func listen() throws(SystemError) {
        source = try loop.watch(listener.number, for: .readable) { [weak self] _ in self?.accept() }
    }

    private func accept() {
        do throws(SystemError) {
            for _ in 0..<Self.acceptsPerTurn {
                switch try listener.accept() {
                case .connection(let stream): broker.accept(stream)
                case .none:
                    isWaiting = false
                    source?.setPriority(.normal)
                    return
                case .exhausted(let error): return wait(error)
                }
            }
            // If they come at full speed, connections that are served last would otherwise never have a turn.
            source?.setPriority(.flood)
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
