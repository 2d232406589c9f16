// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// Identifies a stream that observers with equal requests share.
struct ObservedStream: Hashable {
    var request: SubscriptionRequest
    /// The number of the observer if no other may join the stream: one that resumes, whose changes others have seen.
    let soleObserver: Int?
}

/// The stream of an observer, and its number there.
struct ObserverPlace {
    let stream: ObservedStream
    let number: Int
}

extension Engine {
    /// Adds an observer of an aspect, behind the others, and returns its place once it gets changes.
    func observe(
        _ aspect: Aspect, _ request: SubscriptionRequest, _ sink: sending any EventSink
    ) async throws(ReveilleError) -> ObserverPlace {
        let number = nextNumber()
        var key = ObservedStream(request: request, soleObserver: request.positions == nil ? nil : number)
        // Each observer gets the current state by itself.
        key.request.wantsInitial = false
        let observation = try observation(of: aspect, key)
        observation.add(number, sink, wantsCurrent: request.wantsInitial)
        if observation.stream == nil {
            observation.stream = open(key.request, into: observation) { [key] _, result in
                if case .failure = result { self.observations[key] = nil }
                observation.hasStarted(result)
            }
        }
        // The bus may have been found gone at once, or have answered before the continuation exists.
        try await withCheckedContinuation { observation.waitForStart($0) }.get()
        return ObserverPlace(stream: key, number: number)
    }

    private func observation(of aspect: Aspect, _ key: ObservedStream) throws(ReveilleError) -> SharedObservation {
        if let observation = observations[key], !observation.hasFinished { return observation }
        let observation = try ReveilleError.requiring { () throws(SystemError) in
            try SharedObservation(of: aspect, loop: thread.loop, logger: logger)
        }
        observations[key] = observation
        return observation
    }

    /// Removes an observer; with the last one the stream ends.
    func stopObserving(_ place: ObserverPlace) {
        guard let observation = observations[place.stream] else { return }
        observation.remove(place.number)
        guard observation.hasNoObservers, observation.startResult != nil else { return }
        if let stream = observation.stream { close(stream) }
        observations[place.stream] = nil
    }
}
