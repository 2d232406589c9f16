// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore

extension Shell {
    /// Returns all subscriptions of the bus, then their changes.
    ///
    /// ```swift
    /// for try await changes in device.shell.subscriptionChanges() {
    ///     for subscription in changes.subscriptions { print(subscription.name ?? subscription.id, subscription.holds) }
    ///     for id in changes.ended { print(id, "has ended") }
    /// }
    /// ```
    ///
    /// A subscription changes with its ``/ReveilleCore/SubscriptionInfo/holds``,
    /// ``/ReveilleCore/SubscriptionInfo/lifecycle`` or ``/ReveilleCore/SubscriptionInfo/tasks``. Other members are as they
    /// are at the time. ``/ReveilleCore/HoldReasons/unread`` counts once an event has been unread for 5 seconds while
    /// another is due. Changes that are not taken are merged.
    ///
    /// Each loop follows on its own. If the bus goes away and comes back, all of its subscriptions are reported, and those
    /// that ended in between.
    ///
    /// - Returns: The changes. A loop ends when its task is cancelled, and throws ``ReveilleError``:
    ///   ``ReveilleError/Code/noBus`` at its beginning, and ``ReveilleError/Code/notSupported`` from an earlier bus.
    public func subscriptionChanges() -> some AsyncSequence<SubscriptionChanges, ReveilleError> & Sendable {
        FollowedSubscriptions(engine: device.engine)
    }
}

private struct FollowedSubscriptions: AsyncSequence, Sendable {
    let engine: Engine

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(engine: engine) }

    struct AsyncIterator: AsyncIteratorProtocol {
        let engine: Engine
        private var follower: (number: Int, arrivals: AsyncStream<Void>.Iterator)?

        init(engine: Engine) { self.engine = engine }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(ReveilleError) -> SubscriptionChanges? {
            if follower == nil {
                let (number, stream) = try await engine.follow()
                follower = (number, stream.makeAsyncIterator())
            }
            guard let number = follower?.number else { return nil }
            repeat {
                if let changes = try await engine.changes(of: number) { return changes }
            } while await follower?.arrivals.next(isolation: actor) != nil
            return nil
        }
    }
}
