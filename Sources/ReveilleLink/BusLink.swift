// SPDX-License-Identifier: Apache-2.0

package import ReveilleSystem
package import Varlink

/// A client's link to a bus, on a loop: performs the effects of ``LinkState``.
///
/// A call connects if there is no connection. An owner that has called ``retry()`` after a loss makes its calls again when
/// ``onRetry`` is called.
///
/// Loop thread only.
package final class BusLink {
    private let connector: Connector
    private var state: LinkState
    private var socket: ClientSocket?
    private var source: (any LoopSource)?
    private var timer: (any LoopSource)?
    /// The time to which the timer is set.
    private var deadline: Int64?
    private var lastCall = 0
    private var handlers: [Int: (Result<Reply, LinkFailure>) -> Void] = [:]
    /// Whether replies stay in the socket, so that the bus holds further replies as unread; false on a new connection.
    package var isPaused = false {
        didSet { if oldValue, !isPaused { readAll() } }
    }
    /// Called when there is no connection or none any more, after every call has failed; not after ``close()``.
    package var onLoss: (LinkFailure) -> Void = { _ in }
    /// Called at the end of a pause.
    package var onRetry: () -> Void = {}

    /// Creates a link that is not connected.
    ///
    /// Throws without a timer: a lost bus would never be tried again.
    package init(_ connector: Connector) throws(SystemError) {
        self.connector = connector
        state = LinkState(patience: connector.patience)
        timer = try connector.loop.timer { [weak self] in
            self?.deadline = nil
            self?.handle(.expired)
        }
    }

    deinit {
        source?.cancel()
    }

    /// Connects if there is no connection; returns whether there was none, and an attempt has begun or succeeded.
    package func open() -> Bool {
        guard isClosed else { return false }
        handle(.open)
        return !isClosed
    }

    /// Whether there is neither a connection nor an attempt to make one.
    package var isClosed: Bool { state.isClosed }

    /// Whether a pause before another attempt has begun.
    package var isPausing: Bool { state.isPausing }

    /// Sends a call that is not `oneway`.
    ///
    /// `onReply` receives each reply, which may be an error of the bus, and a failure if the connection ends before the
    /// last one. An opening call is one that is made on each connection: its answer does not show that the bus is good.
    package func call(
        _ call: Call, isOpening: Bool = false, onReply: @escaping (Result<Reply, LinkFailure>) -> Void
    ) {
        lastCall += 1
        handlers[lastCall] = onReply
        handle(.call(lastCall, call, isOpening: isOpening))
    }

    /// Calls ``onRetry`` after a pause, which grows until the bus is good.
    package func retry() { handle(.retry(fraction: .random(in: 0...1))) }

    /// Ends the connection and the pause; every call fails.
    package func close() { handle(.close) }

    /// Takes the replies that have arrived.
    package func readAll() {
        endingOnError { () throws(LinkFailure) in
            // A reply may end the connection, or lead to another one.
            while !isPaused, let reply = try socket?.nextReply() { handle(.reply(reply)) }
        }
    }

    private func handle(_ input: LinkState.Input) {
        for effect in state.handle(input, at: Int64(connector.loop.bootClock)) { perform(effect) }
        guard state.deadline != deadline else { return }
        deadline = state.deadline
        guard let deadline else { return timer?.disarm() ?? () }
        timer?.fire(after: .microseconds(max(0, deadline - Int64(connector.loop.bootClock))))
    }

    private func perform(_ effect: LinkState.Effect) {
        switch effect {
        case .connect:
            do throws(LinkFailure) {
                try connect()
            } catch {
                return handle(.failed(error, fraction: .random(in: 0...1)))
            }
            handle(.connected)
        case .disconnect:
            source?.cancel()
            (source, socket) = (nil, nil)
            isPaused = false
        case .send(let call): endingOnError { () throws(LinkFailure) in try socket?.send(call) }
        case .answer(let number, let result):
            guard let handler = handlers[number] else { return }
            if (try? result.get())?.continues != true { handlers[number] = nil }
            handler(result)
        case .lost(let failure): onLoss(failure)
        case .tryAgain: onRetry()
        }
    }

    private func connect() throws(LinkFailure) {
        let stream = try connector.connect()
        source = try LinkFailure.reaching { () throws(SystemError) in
            try connector.loop.watch(stream.number, for: [.readable, .writable, .halfClosed, .edge]) {
                [weak self] _ in
                self?.endingOnError { () throws(LinkFailure) in try self?.socket?.flush() }
                self?.readAll()
            }
        }
        socket = ClientSocket(stream)
    }

    private func endingOnError(_ body: () throws(LinkFailure) -> Void) {
        do throws(LinkFailure) {
            try body()
        } catch {
            handle(.lost(error))
        }
    }
}
