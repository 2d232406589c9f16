// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

extension Engine {
    /// Adds an observer of an aspect, behind the others, and returns its number once changes are seen.
    func observe(
        _ aspect: Aspect, _ request: SubscriptionRequest, _ sink: sending any EventSink, wantsCurrent: Bool
    ) async throws(ReveilleError) -> Int {
        try request.check()
        let id = nextNumber()
        let observation = try observation(of: aspect, request)
        observation.add(id, sink, wantsCurrent: wantsCurrent)
        if observation.stream == nil {
            observation.stream = open(request, into: observation) { _, result in
                if case .failure = result { self.observations[request] = nil }
                observation.hasStarted(result)
            }
        }
        // The bus may have been found gone at once, or have answered before the continuation exists.
        try await withCheckedContinuation { observation.waitForStart($0) }.get()
        return id
    }

    private func observation(
        of aspect: Aspect, _ request: SubscriptionRequest
    ) throws(ReveilleError) -> SharedObservation {
        if let observation = observations[request], !observation.hasFinished { return observation }
        let observation = try ReveilleError.requiring { () throws(SystemError) in
            try SharedObservation(of: aspect, loop: thread.loop, logger: logger)
        }
        observations[request] = observation
        return observation
    }

    /// Removes an observer; with the last one the stream ends.
    func stopObserving(_ request: SubscriptionRequest, id: Int) {
        guard let observation = observations[request] else { return }
        observation.remove(id)
        guard observation.hasNoObservers, observation.startResult != nil else { return }
        if let stream = observation.stream { close(stream) }
        observations[request] = nil
    }
}
