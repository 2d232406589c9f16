// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore

extension Subscription {
    /// The events that are due together, such as all those of a wake, for a program that acts once for all of them.
    ///
    /// ```swift
    /// for try await events in subscription.batches {
    ///     for event in events { print(event) }  // then draw once
    /// }
    /// ```
    ///
    /// A batch has at least one event: those of one reply of the bus, and of later ones that came before it was taken. A
    /// loop ends and throws as one over the events does, and takes them from other loops.
    public var batches: some AsyncSequence<[Event], any Error> & Sendable { EventBatches(subscription: self) }
}

private struct EventBatches: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let subscription: Subscription

    func makeAsyncIterator() -> EventBatches { self }

    func next(isolation actor: isolated (any Actor)?) async throws -> [Event]? {
        guard let first = try await subscription.next(isolation: actor) else { return nil }
        var batch = [first]
        while let event = subscription.nextIfDue() { batch.append(event) }
        return batch
    }
}
