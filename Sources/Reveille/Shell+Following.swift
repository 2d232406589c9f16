// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import ReveilleWire

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
    /// ``/ReveilleCore/SubscriptionInfo/lifecycle`` or ``/ReveilleCore/SubscriptionInfo/tasks``. The other members have
    /// their values of that time. ``/ReveilleCore/HoldReasons/unread`` counts once an event has been unread for 5
    /// seconds while another is due. Changes that are not taken are merged.
    ///
    /// Each loop follows on its own. If the bus goes away and comes back, all of its subscriptions are reported, and those
    /// that ended in between.
    ///
    /// - Returns: The changes. A loop ends when its task is cancelled, and throws ``ReveilleError``:
    ///   ``ReveilleError/Code/noBus`` at its beginning, and ``ReveilleError/Code/notSupported`` from an earlier bus.
    public func subscriptionChanges() -> some AsyncSequence<SubscriptionChanges, any Error> & Sendable {
        FollowedSubscriptions(engine: device.engine)
    }
}

private struct FollowedSubscriptions: AsyncSequence, Sendable {
    let engine: Engine

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(engine) }

    struct AsyncIterator: AsyncIteratorProtocol {
        private var replies: LastingReplies<ListSubscriptions>
        /// The subscriptions that were reported and have not ended.
        private var known: Set<String> = []

        init(_ engine: Engine) { replies = LastingReplies(to: .following, of: engine) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> SubscriptionChanges? {
            guard let (changes, isFirst) = try await replies.next(isolation: actor) else { return nil }
            let ids = Set(changes.subscriptions.map(\.id))
            // Subscriptions that ended while there was no connection.
            let ended = isFirst ? known.subtracting(ids).sorted() : changes.ended
            known = known.union(ids).subtracting(ended)
            return SubscriptionChanges(subscriptions: changes.subscriptions, ended: ended)
        }
    }
}
