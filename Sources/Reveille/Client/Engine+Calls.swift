// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleWire
import Varlink

extension Engine {
    /// Calls a method, and waits for its reply; tries to reach a bus that is gone.
    ///
    /// `onReply` is called at once, also without a bus: the connection may be lost or replaced before this function
    /// continues.
    func call<Answer: BusReply>(
        _ call: Call, expecting type: Answer.Type,
        onReply: ((Result<Answer, ReveilleError>) -> Void)? = nil
    ) async throws(ReveilleError) -> Answer {
        let result = await withCheckedContinuation { continuation in
            let end = { (result: Result<Answer, ReveilleError>) in
                if case .success = result { self.reached() }
                onReply?(result)
                continuation.resume(returning: result)
            }
            do throws(ReveilleError) {
                try openChannel().call(call, expecting: type, onReply: end)
            } catch {
                end(.failure(error))
            }
        }
        let answer = try result.get()
        // The bus works: a later loss begins with the shortest pause.
        backoff.reset()
        return answer
    }

    func states(of aspects: AspectSet) async throws(ReveilleError) -> EventsReply {
        try await call(
            Call(.getState(aspects, wantsSupply: aspects.contains(Aspect.battery))), expecting: EventsReply.self)
    }

    /// Publishes or withdraws the state of a name.
    ///
    /// A state that is tied to the connection uses the connection for calls, which stays open while the bus runs. Each
    /// later connection publishes the state again, or a newer one that could not be published.
    func publish(_ value: PublishedValue, whileConnected: Bool) async throws(ReveilleError) -> Revision {
        // Before a new connection publishes it again.
        if value.isWithdrawn { (tiedStates[value.name], missedStates[value.name]) = (nil, nil) }
        do throws(ReveilleError) {
            let call = Call(.publish(value, whileConnected: whileConnected))
            return try await self.call(call, expecting: Revision.self) { result in
                // The last value stays if this one is refused.
                if case .failure(let error) = result, !error.isLoss, !value.isWithdrawn { return }
                let (isAccepted, kept) = ((try? result.get()) != nil, whileConnected ? value : nil)
                self.tiedStates[value.name] = isAccepted ? kept : nil
                self.missedStates[value.name] = isAccepted ? nil : kept
            }
        } catch {
            throw ReveilleError(error.code, "\(value.name): \(error)")
        }
    }

    /// Publishes the states that ended with the last connection, before any other call on a new one.
    func publishTiedStates(on channel: BusConnection) {
        for (name, value) in tiedStates.merging(missedStates, uniquingKeysWith: { $1 }).sorted(by: { $0.key < $1.key })
        {
            channel.call(Call(.publish(value, whileConnected: true)), expecting: Revision.self) { result in
                switch result {
                case .success: (self.tiedStates[name], self.missedStates[name]) = (value, nil)
                // The next connection publishes the state again. But a bus could close each connection over a value that
                // it has never accepted, such as one that is too long.
                case .failure(let error)
                where error.code == .timeout || error.isLoss && self.tiedStates[name] == value: break
                case .failure(let error):
                    self.missedStates[name] = nil
                    self.logger.error("\(name) is not published again: \(error)")
                }
            }
        }
    }
}
