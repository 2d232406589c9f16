// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
package import Varlink

/// A client's way to its bus: its successive connections, the pauses between them, and the calls.
///
/// A call connects if there is no connection, and fails with it. Replies come in the order of the calls. After a loss,
/// the owner decides whether to try again.
///
/// Pure. ``BusLink`` performs the effects.
package struct LinkState: Sendable {
    package enum Input: Sendable {
        /// A call that is not `oneway`. An opening one is made on each connection: its answer does not show a good bus.
        case call(Int, Call, isOpening: Bool)
        /// The owner wants a connection, if there is none.
        case open
        /// A new connection stands, or cannot be made.
        case connected
        case failed(LinkFailure, fraction: Double)
        case reply(Reply)
        case lost(LinkFailure)
        /// The owner wants to try again after a pause, unless one has begun.
        case retry(fraction: Double)
        /// The ``LinkState/deadline`` has passed.
        case expired
        /// The owner wants no connection; a later call connects again.
        case close
    }

    package enum Effect: Sendable, Equatable {
        case connect
        case disconnect
        case send(Call)
        case answer(Int, Result<Reply, LinkFailure>)
        /// Notify the owner that there is no connection any more, after every call has failed.
        case lost(LinkFailure)
        /// Notify the owner that a pause is over.
        case tryAgain
    }

    private enum Phase {
        case closed
        /// The listener's queue is full: when to try again, and when to give up.
        case waiting(until: Int64, atMost: Int64)
        /// Connected; the time of the first reply.
        case open(since: Int64?)
    }

    private struct PendingCall {
        let number: Int
        let call: Call
        let isOpening: Bool
        var isAnswered = false
    }

    private let patience: Patience
    private var backoff: Backoff
    private var phase = Phase.closed
    /// The calls without their last reply; they are sent once there is a connection.
    private var pending: [PendingCall] = []
    /// When the first of them must be answered; `nil` once it has a reply.
    private var answerDeadline: Int64?
    private var pauseEnd: Int64?

    package init(patience: Patience = Patience()) {
        self.patience = patience
        backoff = patience.pauses
    }

    package var isPausing: Bool { pauseEnd != nil }

    /// Whether there is neither a connection nor an attempt to make one.
    package var isClosed: Bool {
        if case .closed = phase { true } else { false }
    }

    /// When ``Input/expired`` is due, in microseconds since boot.
    package var deadline: Int64? {
        var attempt: Int64?
        if case .waiting(let time, _) = phase { attempt = time }
        return [attempt, answerDeadline, pauseEnd].compactMap(\.self).min()
    }

    /// Takes an input at a time in microseconds since boot; returns what to do, in order.
    package mutating func handle(_ input: Input, at now: Int64) -> [Effect] {
        switch input {
        case .call(let number, let call, let isOpening):
            pending.append(PendingCall(number: number, call: call, isOpening: isOpening))
            if isClosed { return [.connect] }
            guard case .open = phase else { break }
            if pending.count == 1 { answerDeadline = now + patience.answer.microseconds }
            return [.send(call)]
        case .open: return isClosed ? [.connect] : []
        case .connected:
            phase = .open(since: nil)
            if !pending.isEmpty { answerDeadline = now + patience.answer.microseconds }
            return pending.map { .send($0.call) }
        case .failed(let failure, let fraction):
            guard failure.isQueueFull else { return end(failure, at: now) }
            var end = now + patience.connect.microseconds
            if case .waiting(_, let atMost) = phase { end = atMost }
            guard now < end else { return self.end(failure, at: now) }
            phase = .waiting(until: min(end, now + backoff.next(fraction: fraction).microseconds), atMost: end)
        case .reply(let reply): return take(reply, at: now)
        case .lost(let failure): return end(failure, at: now)
        case .retry(let fraction):
            if pauseEnd == nil { pauseEnd = now + backoff.next(fraction: fraction).microseconds }
        case .expired: return expire(at: now)
        case .close:
            pauseEnd = nil
            return disconnect(.ended, at: now)
        }
        return []
    }

    private mutating func take(_ reply: Reply, at now: Int64) -> [Effect] {
        guard case .open(let since) = phase, let first = pending.first else { return [] }
        phase = .open(since: since ?? now)
        // A bus that only accepts connections, or refuses calls, is not good.
        if first.isAnswered || !first.isOpening, reply.error == nil { backoff.reset() }
        pending[0].isAnswered = true
        if !reply.continues { pending.removeFirst() }
        answerDeadline = pending.first.flatMap { $0.isAnswered ? nil : now + patience.answer.microseconds }
        return [.answer(first.number, .success(reply))]
    }

    private mutating func expire(at now: Int64) -> [Effect] {
        if case .waiting(let time, _) = phase, time <= now { return [.connect] }
        if let answerDeadline, answerDeadline <= now {
            return end(.unanswered(pending.first?.call.shortName, within: patience.answer), at: now)
        }
        guard let pauseEnd, pauseEnd <= now else { return [] }
        self.pauseEnd = nil
        return [.tryAgain]
    }

    private mutating func end(_ failure: LinkFailure, at now: Int64) -> [Effect] {
        disconnect(failure, at: now) + [.lost(failure)]
    }

    private mutating func disconnect(_ failure: LinkFailure, at now: Int64) -> [Effect] {
        if case .open(let since?) = phase, .microseconds(now - since) >= patience.steady { backoff.reset() }
        let calls = pending
        (phase, pending, answerDeadline) = (.closed, [], nil)
        return [.disconnect] + calls.map { .answer($0.number, .failure(failure)) }
    }
}

extension Duration {
    fileprivate var microseconds: Int64 { Int64(self / .microseconds(1)) }
}
