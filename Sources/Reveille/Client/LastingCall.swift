// SPDX-License-Identifier: Apache-2.0

import ReveilleLink
import ReveilleWire
import Varlink

/// A call with more than one reply that survives its bus; loop thread only.
///
/// While a reply waits to be taken, the connection is paused, so that the bus merges what changes.
final class LastingCall {
    private let link: BusLink
    private let call: Call
    private let arrived: AsyncStream<Void>.Continuation
    private var hasReplied = false
    private var isFirstReply = true
    private var waiting: Result<LastingReply, ReveilleError>?

    init(_ call: Call, on link: BusLink, arrived: AsyncStream<Void>.Continuation) {
        self.call = call
        self.arrived = arrived
        self.link = link
        link.onLoss = { [weak self] in self?.lose(ReveilleError($0)) }
        link.onRetry = { [weak self] in self?.open() }
    }

    func open() {
        isFirstReply = true
        link.call(call, isOpening: true) { [weak self] in
            if case .success(let reply) = $0 { self?.take(reply) }
        }
    }

    /// Returns the reply that has arrived, if any, and continues reading.
    func next() throws(ReveilleError) -> LastingReply? {
        let reply = try waiting?.get()
        waiting = nil
        link.isPaused = false
        return reply
    }

    func end() {
        link.close()
        arrived.finish()
    }

    private func take(_ reply: Reply) {
        do throws(ReveilleError) {
            if let error = CallError(reply) { throw ReveilleError(answered: error, to: call.shortName) }
            guard reply.continues else {
                throw ReveilleError(.notSupported, "\(call.shortName): this bus does not report changes")
            }
            link.isPaused = true
            deliver(.success(LastingReply(reply: reply, isFirst: isFirstReply)))
            (isFirstReply, hasReplied) = (false, true)
        } catch {
            lose(error)
        }
    }

    private func deliver(_ result: Result<LastingReply, ReveilleError>) {
        waiting = result
        arrived.yield()
    }

    private func lose(_ error: ReveilleError) {
        link.close()
        guard hasReplied, error.isLoss || error.code == .quotaExceeded else { return deliver(.failure(error)) }
        link.retry()
    }
}

struct LastingReply: Sendable {
    let reply: Reply
    /// Whether it is the first of a connection.
    let isFirst: Bool
}

/// The replies to a call that lasts, for one loop over them.
struct LastingReplies<Method: BusMethod> {
    private let engine: Engine
    private let call: Call
    private var begun: (number: Int, arrivals: AsyncStream<Void>.Iterator)?

    init(to method: Method, of engine: Engine) {
        self.engine = engine
        call = Call(method)
    }

    /// Returns the next reply, once it has come, and whether it is the first of a connection; `nil` at the end.
    mutating func next(
        isolation actor: isolated (any Actor)?
    ) async throws(ReveilleError) -> (value: Method.Answer, isFirst: Bool)? {
        if begun == nil {
            let (number, stream) = try await engine.begin(call)
            begun = (number, stream.makeAsyncIterator())
        }
        guard let number = begun?.number else { return nil }
        repeat {
            if let reply = try await engine.reply(to: number) {
                return (try Method.Answer(reply.reply, to: call), reply.isFirst)
            }
        } while await begun?.arrivals.next(isolation: actor) != nil
        return nil
    }
}

extension Engine {
    /// Begins a call that lasts; returns the number for ``reply(to:)``, and when to call it.
    fileprivate func begin(_ call: Call) throws(ReveilleError) -> (Int, AsyncStream<Void>) {
        let (stream, arrived) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let lasting = LastingCall(call, on: try newLink(), arrived: arrived)
        let number = nextNumber()
        lastingCalls[number] = lasting
        arrived.onTermination = { [weak self] _ in
            guard let self else { return }
            Task { await self.endCall(number) }
        }
        lasting.open()
        return (number, stream)
    }

    fileprivate func reply(to number: Int) throws(ReveilleError) -> LastingReply? { try lastingCalls[number]?.next() }

    private func endCall(_ number: Int) { lastingCalls.removeValue(forKey: number)?.end() }
}
