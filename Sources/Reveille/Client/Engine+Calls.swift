// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleWire
import Varlink

extension Engine {
    /// Calls a method, and waits for its reply; tries to reach a bus that is gone.
    func call<Answer: BusReply>(
        _ call: Call, expecting type: Answer.Type = EmptyReply.self
    ) async throws(ReveilleError) -> Answer {
        let channel = try openChannel()
        let result = await withCheckedContinuation { continuation in
            channel.call(call, expecting: type) { result in
                // Noted here, because the connection may be lost before this function continues.
                if case .success = result { self.reached() }
                continuation.resume(returning: result)
            }
        }
        let answer = try result.get()
        // The bus works: a later loss begins with the shortest pause.
        backoff.reset()
        return answer
    }

    // MARK: - Published states

    /// Publishes or withdraws the state of a name.
    ///
    /// A state that is tied to the connection uses the connection for calls, which stays open while the bus runs. Each
    /// later connection publishes the state again.
    func publish(
        _ value: PublishedValue, whileConnected: Bool
    ) async throws(ReveilleError) -> (generation: Int, sequence: Int) {
        // Even if the call fails: the bus withdraws the state when it loses the connection.
        if value.isWithdrawn { tiedStates[value.name] = nil }
        do throws(ReveilleError) {
            let channel = try openChannel()
            let result = await withCheckedContinuation { continuation in
                send(value, whileConnected: whileConnected, on: channel) { result in
                    // Noted here, because the connection may be replaced before this function continues.
                    switch result {
                    case .success:
                        self.reached()
                        self.tiedStates[value.name] = whileConnected ? value : nil
                    // An earlier call may have been answered meanwhile.
                    case .failure: if value.isWithdrawn { self.tiedStates[value.name] = nil }
                    }
                    continuation.resume(returning: result)
                }
            }
            let reply = try result.get()
            return (reply.generation, reply.sequence)
        } catch {
            throw ReveilleError(error.code, "\(value.name): \(error)")
        }
    }

    /// Publishes the states that ended with the last connection, before any other call on a new one.
    func publishTiedStates(on channel: BusConnection) {
        for (name, value) in tiedStates.sorted(by: { $0.key < $1.key }) {
            send(value, whileConnected: true, on: channel) { result in
                // After a lost connection, the next one publishes the states again.
                guard case .failure(let error) = result, error.code != .noBus, error.code != .timeout else { return }
                self.logger.error("\(name) is not published again: \(error)")
            }
        }
    }

    private func send(
        _ value: PublishedValue, whileConnected: Bool, on channel: BusConnection,
        completion: @escaping (Result<PostReply, ReveilleError>) -> Void
    ) {
        let call = Call(.publish(value, whileConnected: whileConnected))
        channel.call(call, expecting: PostReply.self, onReply: completion)
    }
}
