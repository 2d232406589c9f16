// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import BusClient
import Reveille
import ReveilleSystem
import ReveilleViewCore
import Varlink

/// One call of the bus on a connection of its own, which ends with the reply.
///
/// Loop thread only.
final class BusQuery {
    /// The time for the reply.
    ///
    /// The page's connection ends after ``Connections/deadline``, with the reason before.
    private static let patience: Duration = .seconds(5)

    private var connection: BusConnection?
    private var timer: EventSource?
    private let completion: (Result<JSONObject, Refusal>) -> Void

    /// Sends the call.
    ///
    /// The completion is called once, and not after ``cancel()``.
    init(
        _ call: Call, on bus: BusRoute, completion: @escaping (Result<JSONObject, Refusal>) -> Void
    ) throws(Refusal) {
        self.completion = completion
        do throws(SystemError) {
            timer = try bus.loop.timer { [weak self] in
                self?.end(.failure(.bus("The bus did not answer \(call.member) in time.")))
            }
            timer?.fire(after: Self.patience)
            connection = try BusConnection(
                bus.connector(answeringWithin: Self.patience),
                onReply: { [weak self] reply in
                    if let error = CallError(reply) {
                        self?.end(.failure(.bus("The bus refused \(call.member): \(error)")))
                    } else {
                        self?.end(.success(reply.parameters))
                    }
                },
                onEnd: { [weak self] error in self?.end(.failure(.bus("\(call.member): \(error)"))) })
        } catch {
            throw .bus("\(call.member): \(BusRoute.description(error))")
        }
        connection?.send(call)
    }

    /// Ends the call without a completion.
    func cancel() {
        connection?.close()
        connection = nil
        timer = nil
    }

    private func end(_ result: Result<JSONObject, Refusal>) {
        guard connection != nil else { return }
        cancel()
        completion(result)
    }
}
