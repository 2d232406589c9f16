// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
package import Varlink

/// A client's connection to a bus, on a loop: calls go out, and their replies come in, in the order of the calls.
///
/// Loop thread only. It ends once, and does not reconnect.
package final class BusConnection {
    private struct Pending {
        let call: Call
        let onReply: (Result<Reply, ReveilleError>) -> Void
        var isAnswered = false
    }

    private let connector: Connector
    /// `nil` while the bus has no room in its queue.
    private var socket: ClientSocket?
    private var pending: [Pending] = []
    /// Runs while the first pending call has no reply.
    private var timer: EventSource?
    private var retry: EventSource?
    private var backoff = Backoff()
    private let connectDeadline: Int64
    private var source: EventSource?
    package private(set) var isClosed = false
    /// Whether replies stay in the socket, so that the bus holds further replies as unread.
    package var isPaused = false {
        didSet { if oldValue, !isPaused { readAll() } }
    }
    private let onEnd: (ReveilleError) -> Void

    /// Connects, and tries again for as long as the bus has no room in its queue.
    ///
    /// `onEnd` is called when the connection is lost, after every pending call has failed; not after ``close()``.
    package init(
        _ connector: Connector, onEnd: @escaping (ReveilleError) -> Void = { _ in }
    ) throws(ReveilleError) {
        self.connector = connector
        self.onEnd = onEnd
        connectDeadline = Clocks.boot() + Int64(connector.patience.connect / .microseconds(1))
        timer = try newTimer { [weak self] in self?.timeIsOver() }
        do throws(ReveilleError) {
            try begin(try connector.connect())
        } catch {
            guard error.isQueueFull else { throw error }
            retry = try newTimer { [weak self] in self?.connectAgain() }
            connectLater()
        }
    }

    /// Sends a call that is not `oneway`.
    ///
    /// `onReply` receives each reply, which may be an error of the bus, and a failure if the connection ends before the
    /// last one. It may close the connection.
    package func call(_ call: Call, onReply: @escaping (Result<Reply, ReveilleError>) -> Void) {
        guard !isClosed else { return onReply(.failure(.ended)) }
        pending.append(Pending(call: call, onReply: onReply))
        if pending.count == 1 { timer?.fire(after: connector.patience.answer) }
        write(call)
    }

    func call<Answer: BusReply>(
        _ call: Call, expecting type: Answer.Type, onReply: @escaping (Result<Answer, ReveilleError>) -> Void
    ) {
        self.call(call) { result in
            onReply(Result { () throws(ReveilleError) in try type.init(try result.get(), to: call) })
        }
    }

    package func close() {
        disconnect(.ended)
    }

    func readAll() {
        endingOnError { socket throws(ReveilleError) in
            while !isClosed, !isPaused, let reply = try socket.nextReply() { take(reply) }
        }
    }

    // MARK: - Connecting

    private func begin(_ stream: UnixStream) throws(ReveilleError) {
        let interest: EventLoop.Interest = [.readable, .writable, .halfClosed, .edge]
        source = try ReveilleError.reaching { () throws(SystemError) in
            try connector.loop.watch(stream.number, for: interest) { [weak self] _ in
                self?.endingOnError { socket throws(ReveilleError) in try socket.flush() }
                self?.readAll()
            }
        }
        socket = ClientSocket(stream)
        for waiting in pending { write(waiting.call) }
    }

    private func connectLater() {
        let left = Duration.microseconds(connectDeadline - Clocks.boot())
        retry?.fire(after: min(left, backoff.next(fraction: Double.random(in: 0...1))))
    }

    private func connectAgain() {
        do throws(ReveilleError) {
            try begin(try connector.connect())
            retry = nil
        } catch {
            guard error.isQueueFull, Clocks.boot() < connectDeadline else { return end(error) }
            connectLater()
        }
    }

    private func newTimer(_ handler: @escaping () -> Void) throws(ReveilleError) -> EventSource {
        try ReveilleError.reaching { () throws(SystemError) in try connector.loop.timer(handler: handler) }
    }

    // MARK: - Calls and replies

    private func write(_ call: Call) {
        endingOnError { socket throws(ReveilleError) in try socket.send(call) }
    }

    private func take(_ reply: Reply) {
        // The session has checked that the reply belongs to a call.
        let onReply = pending[0].onReply
        pending[0].isAnswered = true
        if !reply.continues { pending.removeFirst() }
        if let next = pending.first, !next.isAnswered {
            timer?.fire(after: connector.patience.answer)
        } else {
            timer?.disarm()
        }
        onReply(.success(reply))
    }

    private func timeIsOver() {
        guard let call = pending.first?.call else { return }
        end(.unanswered(call, within: connector.patience.answer))
    }

    // MARK: - The end

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
        disconnect(error)
        onEnd(error)
    }

    private func disconnect(_ error: ReveilleError) {
        isClosed = true
        timer = nil
        retry = nil
        source?.cancel()
        source = nil
        let unfinished = pending
        pending = []
        for call in unfinished { call.onReply(.failure(error)) }
    }
}
