// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleWire
import Varlink

extension Engine {
    /// Calls a method, and waits for its reply; tries to reach a bus that is gone.
    ///
    /// `onReply` is called at once, because the connection may be lost or replaced before this function continues.
    func call<Answer: BusReply>(
        _ call: Call, expecting type: Answer.Type,
        onReply: ((Result<Answer, ReveilleError>) -> Void)? = nil
    ) async throws(ReveilleError) -> Answer {
        let channel = try openChannel()
        let result = await withCheckedContinuation { continuation in
            channel.call(call, expecting: type) { result in
                if case .success = result { self.reached() }
                onReply?(result)
                continuation.resume(returning: result)
            }
        }
        let answer = try result.get()
        // The bus works: a later loss begins with the shortest pause.
        backoff.reset()
        return answer
    }

    /// Publishes or withdraws the state of a name.
    ///
    /// A state that is tied to the connection uses the connection for calls, which stays open while the bus runs. Each
    /// later connection publishes the state again.
    func publish(_ value: PublishedValue, whileConnected: Bool) async throws(ReveilleError) -> Revision {
        // Even if the call fails: the bus withdraws the state when it loses the connection.
        if value.isWithdrawn { tiedStates[value.name] = nil }
        do throws(ReveilleError) {
            let call = Call(.publish(value, whileConnected: whileConnected))
            return try await self.call(call, expecting: Revision.self) { result in
                switch result {
                case .success: self.tiedStates[value.name] = whileConnected ? value : nil
                // An earlier call may have been answered meanwhile.
                case .failure: if value.isWithdrawn { self.tiedStates[value.name] = nil }
                }
            }
        } catch {
            throw ReveilleError(error.code, "\(value.name): \(error)")
        }
    }

    /// Publishes the states that ended with the last connection, before any other call on a new one.
    func publishTiedStates(on channel: BusConnection) {
        for (name, value) in tiedStates.sorted(by: { $0.key < $1.key }) {
            channel.call(Call(.publish(value, whileConnected: true)), expecting: Revision.self) { result in
                // After a lost connection, the next one publishes the states again.
                guard case .failure(let error) = result, error.code != .noBus, error.code != .timeout else { return }
                self.logger.error("\(name) is not published again: \(error)")
            }
        }
    }
}
