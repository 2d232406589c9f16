// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleSystem
import ReveilleWire
package import Varlink

/// The connection for a device's calls; replies arrive in the order of the calls.
///
/// Loop thread only.
package final class CallChannel {
    private struct Pending {
        let call: Call
        let completion: (Result<Reply, ReveilleError>) -> Void
    }

    private var connection: BusConnection?
    private var pending: [Pending] = []
    private var timer: EventSource?
    private let patience: Patience
    private let onEnd: (ReveilleError) -> Void

    /// Connects to a bus; `onEnd` is called once when the connection has ended, after every pending call has failed.
    package init(_ connector: Connector, onEnd: @escaping (ReveilleError) -> Void) throws(SystemError) {
        self.onEnd = onEnd
        patience = connector.patience
        timer = try connector.loop.timer { [weak self] in
            guard let self, let call = pending.first?.call else { return }
            end(.unanswered(call, within: patience.answer))
        }
        connection = try BusConnection(
            connector, onReply: { [weak self] in self?.take($0) }, onEnd: { [weak self] in self?.end($0) })
    }

    /// Sends a call, and calls back with its decoded reply.
    func call<Answer: BusReply>(
        _ call: Call, expecting type: Answer.Type, completion: @escaping (Result<Answer, ReveilleError>) -> Void
    ) {
        send(call) { result in
            completion(Result { () throws(ReveilleError) in try type.init(try result.get(), to: call) })
        }
    }

    /// Sends a call, and calls back with its reply, which may be an error of the bus.
    package func send(_ call: Call, completion: @escaping (Result<Reply, ReveilleError>) -> Void) {
        guard let connection else { return completion(.failure(.ended)) }
        pending.append(Pending(call: call, completion: completion))
        if pending.count == 1 { timer?.fire(after: patience.answer) }
        connection.send(call)
    }

    /// Ends the connection; pending calls fail.
    package func close() {
        disconnect(.ended)
    }

    private func take(_ reply: Reply) {
        let call = pending.removeFirst()
        if pending.isEmpty { timer?.disarm() } else { timer?.fire(after: patience.answer) }
        call.completion(.success(reply))
    }

    private func end(_ error: ReveilleError) {
        guard connection != nil else { return }
        disconnect(error)
        onEnd(error)
    }

    private func disconnect(_ error: ReveilleError) {
        connection?.close()
        connection = nil
        timer?.cancel()
        let waiting = pending
        pending = []
        for call in waiting { call.completion(.failure(error)) }
    }
}
