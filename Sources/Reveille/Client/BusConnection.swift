// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleSystem
import ReveilleWire
package import Varlink

/// The way of a device to its bus.
package struct Connector {
    /// The loop of the thread.
    let loop: EventLoop
    /// How long to wait for the connection, and for replies.
    let patience: Patience
    /// Connects to the bus, without waiting for room in the listener's queue.
    let connect: () throws(SystemError) -> UnixStream

    /// Creates a way to a bus.
    package init(loop: EventLoop, patience: Patience, connect: @escaping () throws(SystemError) -> UnixStream) {
        self.loop = loop
        self.patience = patience
        self.connect = connect
    }
}

/// A client's connection to a bus, on a loop: calls go out, replies come in, in order.
///
/// Loop thread only. It ends once, by ``close()`` or with a call of `onEnd`.
package final class BusConnection {
    private let connector: Connector
    /// `nil` while the bus has no room in its queue.
    private var socket: ClientSocket?
    /// The calls that wait for the socket.
    private var waiting: [Call] = []
    /// Tries again to connect.
    private var retry: EventSource?
    private var backoff = Backoff()
    private let connectDeadline: Int64
    private var source: EventSource?
    private var isClosed = false
    /// Whether replies are left in the socket, so that the bus holds those that follow as unread.
    package var isPaused = false {
        didSet { if oldValue, !isPaused { readAll() } }
    }
    private let onReply: (Reply) -> Void
    private let onEnd: (ReveilleError) -> Void

    /// Connects, and tries again for as long as the bus has no room in its queue.
    ///
    /// `onReply` may close the connection. Throws if there is no bus or the loop lacks resources.
    package init(
        _ connector: Connector, onReply: @escaping (Reply) -> Void, onEnd: @escaping (ReveilleError) -> Void
    ) throws(SystemError) {
        self.connector = connector
        self.onReply = onReply
        self.onEnd = onEnd
        connectDeadline = Clocks.boot() + Int64(connector.patience.connect / .microseconds(1))
        do throws(SystemError) {
            try begin(try connector.connect())
        } catch {
            guard error.isQueueFull else { throw error }
            retry = try connector.loop.timer { [weak self] in self?.connectAgain() }
            connectLater()
        }
    }

    private func begin(_ stream: UnixStream) throws(SystemError) {
        let interest: EventLoop.Interest = [.readable, .writable, .halfClosed, .edge]
        source = try connector.loop.watch(stream.number, for: interest) { [weak self] _ in
            self?.endingOnError { socket throws(ReveilleError) in try socket.flush() }
            self?.readAll()
        }
        socket = ClientSocket(stream)
        for call in waiting { send(call) }
        waiting = []
    }

    private func connectLater() {
        let left = Duration.microseconds(connectDeadline - Clocks.boot())
        retry?.fire(after: min(left, backoff.next(fraction: Double.random(in: 0...1))))
    }

    private func connectAgain() {
        do throws(SystemError) {
            try begin(try connector.connect())
            retry = nil
        } catch {
            guard error.isQueueFull, Clocks.boot() < connectDeadline else { return end(ReveilleError(reaching: error)) }
            connectLater()
        }
    }

    /// Sends a call; if the bus is gone, `onEnd` is called later.
    package func send(_ call: Call) {
        guard socket != nil else { return waiting.append(call) }
        endingOnError { socket throws(ReveilleError) in try socket.send(call) }
    }

    /// Ends the connection without calling `onEnd`.
    package func close() {
        isClosed = true
        retry = nil
        source?.cancel()
        source = nil
    }

    /// Passes on all replies that have arrived.
    func readAll() {
        endingOnError { socket throws(ReveilleError) in
            while !isClosed, !isPaused, let reply = try socket.nextReply() { onReply(reply) }
        }
    }

    private func endingOnError(_ body: (ClientSocket) throws(ReveilleError) -> Void) {
        guard !isClosed, let socket else { return }
        do throws(ReveilleError) {
            try body(socket)
        } catch {
            end(error)
        }
    }

    private func end(_ error: ReveilleError) {
        guard !isClosed else { return }
        close()
        onEnd(error)
    }
}
