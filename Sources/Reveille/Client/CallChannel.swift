// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem
import ReveilleWire
import Varlink

/// The connection over which a device asks things of its bus; replies come in the order of the calls.
///
/// Loop thread only.
final class CallChannel {
    /// Gets the parameters of the reply, or why there is none.
    typealias Completion = (Result<JSONObject, ReveilleError>) -> Void

    private struct Pending {
        let method: String
        let completion: Completion
    }

    private var connection: BusConnection?
    private var pending: [Pending] = []
    private var timer: EventSource?
    private let patience: Patience
    private let onEnd: (ReveilleError) -> Void

    /// Connects to a bus.
    ///
    /// - Parameters:
    ///   - connect: Connects to the bus.
    ///   - loop: Tells what comes.
    ///   - patience: How long to wait for the connection, and for each answer.
    ///   - onEnd: Told once that the connection has ended, after every call that was waiting.
    /// - Throws: `SystemError` when there is no bus, or the loop has no room.
    init(
        _ connect: @escaping BusConnection.Connect, loop: EventLoop, patience: Patience,
        onEnd: @escaping (ReveilleError) -> Void
    ) throws(SystemError) {
        self.onEnd = onEnd
        self.patience = patience
        timer = try loop.timer { [weak self] in
            guard let self, let method = pending.first?.method else { return }
            end(ReveilleError(.timeout, "\(method): the bus did not answer within \(patience.answer)"))
        }
        connection = try BusConnection(
            connect, loop: loop, patience: patience.connect, onReply: { [weak self] in self?.take($0) },
            onEnd: { [weak self] in self?.end($0) })
    }

    /// Calls a method of the bus, or of another interface by its whole name.
    func call(_ method: String, _ parameters: JSONObject, completion: @escaping Completion) {
        guard let connection else { return completion(.failure(.ended)) }
        pending.append(Pending(method: method, completion: completion))
        if pending.count == 1 { timer?.fire(after: patience.answer) }
        let name = method.contains(".") ? method : BusInterface.name + "." + method
        connection.send(Call(method: name, parameters: parameters))
    }

    /// Ends the connection; calls that wait fail.
    func close() {
        connection?.close()
        connection = nil
        timer?.cancel()
        let waiting = pending
        pending = []
        for call in waiting { call.completion(.failure(.ended)) }
    }

    private func take(_ reply: Reply) {
        let call = pending.removeFirst()
        if pending.isEmpty { timer?.disarm() } else { timer?.fire(after: patience.answer) }
        if let error = CallError(reply) {
            call.completion(.failure(ReveilleError(answered: error, to: call.method)))
        } else {
            call.completion(.success(reply.parameters))
        }
    }

    private func end(_ error: ReveilleError) {
        guard connection != nil else { return }
        connection?.close()
        connection = nil
        timer?.cancel()
        let waiting = pending
        pending = []
        for call in waiting { call.completion(.failure(error)) }
        onEnd(error)
    }
}
