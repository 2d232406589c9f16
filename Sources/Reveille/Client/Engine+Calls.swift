// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleLink
import ReveilleWire
import Varlink

extension Engine {
    /// Calls a method, and waits for its reply; tries to reach a bus that is gone.
    ///
    /// `onReply` is called at once, also without a bus: the connection may be lost or replaced before this function
    /// continues.
    func call<Method: BusMethod>(
        _ method: Method, onReply: ((Result<Method.Answer, ReveilleError>) -> Void)? = nil
    ) async throws(ReveilleError) -> Method.Answer {
        let result = await withCheckedContinuation { continuation in
            let end = { (result: Result<Method.Answer, ReveilleError>) in
                if case .success = result { self.reached() }
                onReply?(result)
                continuation.resume(returning: result)
            }
            do throws(ReveilleError) {
                try openChannel().call(method, onReply: end)
            } catch {
                end(.failure(error))
            }
        }
        return try result.get()
    }

    func states(of aspects: AspectSet) async throws(ReveilleError) -> EventsReply {
        try await call(GetState(aspects, wantsSupply: aspects.contains(Aspect.battery)))
    }

    /// Publishes or withdraws the state of a name.
    ///
    /// A state that is tied to the connection uses the connection for calls, which stays open while the bus runs. Each
    /// later connection publishes the state again, or a newer one that could not be published.
    func publish(_ value: PublishedValue, whileConnected: Bool) async throws(ReveilleError) -> Revision {
        // Before a new connection publishes it again.
        if value.isWithdrawn { tiedStates.withdraw(value.name) }
        do throws(ReveilleError) {
            return try await call(Publish(value, whileConnected: whileConnected)) { result in
                self.tiedStates.publish(value, isTied: whileConnected, result)
            }
        } catch {
            throw error.of(value.name.description)
        }
    }

    /// Publishes the states that ended with the last connection, before any other call on a new one.
    func publishTiedStates(on channel: BusLink) {
        for call in tiedStates.latest {
            channel.call(call, isOpening: true) { result in
                guard let error = self.tiedStates.publishAgain(call.value, result) else { return }
                self.logger.error("\(call.value.name) is not published again: \(error)")
            }
        }
    }
}
