// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore

extension Device {
    /// Returns the states of one aspect, in its own type: the current one, then each new one.
    ///
    /// ```swift
    /// for try await battery in device.updates(of: .battery) {
    ///     print(battery.state, battery.level as Any)
    /// }
    /// ```
    ///
    /// Each loop has a subscription of its own, which begins and ends with the loop. States that are not taken are merged,
    /// as in every ``Subscription``. For the number of changes that a state stands for, subscribe.
    ///
    /// Of settings, each later state has the keys that changed.
    ///
    /// - Parameters:
    ///   - aspect: The aspect.
    ///   - options: The options of the subscription.
    /// - Returns: The states. A loop throws ``ReveilleError``, as ``subscribe(to:options:)`` does.
    public func updates<State>(
        of aspect: TypedAspect<State>, options: SubscriptionOptions = SubscriptionOptions()
    ) -> Updates<State> {
        Updates {
            try await self.subscribe(to: [aspect.aspect], options: options.beginningWithState)
        } value: { event in
            aspect.state(of: event.reading)
        }
    }

    /// Returns the values of a name that a program publishes: the current one, then each new one, and `nil` while nothing
    /// is published.
    ///
    /// ```swift
    /// struct Volume: Codable {
    ///     var level: Double
    /// }
    /// for try await volume in device.updates(of: PublishedName<Volume>("org.example.volume")) {
    ///     if let volume { print(volume.level) } else { print("no player") }
    /// }
    /// ```
    ///
    /// The name need not be published yet. Each loop has a subscription of its own, which begins and ends with the loop.
    /// Values that are not taken are merged, as in every ``Subscription``. For a pattern, subscribe and use
    /// `Event.value(as:)`.
    ///
    /// - Parameters:
    ///   - name: The published name.
    ///   - options: The options of the subscription.
    /// - Returns: The values. A loop throws ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` for an invalid name,
    ///   and ``ReveilleError/Code/unexpectedValue`` for a value of another type.
    public func updates<Value: Decodable & Sendable>(
        of name: PublishedName<Value>, options: SubscriptionOptions = SubscriptionOptions()
    ) -> Updates<Value?> {
        Updates {
            try name.aspect.checkIsPublished()
            return try await self.subscribe(to: [name.aspect], options: options.beginningWithState)
        } value: { event in
            .some(try event.value(as: Value.self))
        }
    }
}

/// The states of one aspect, from ``Device/updates(of:options:)-(TypedAspect<State>,_)``.
///
/// A loop ends when its task is cancelled, and throws as a ``Subscription`` does.
public struct Updates<Value: Sendable>: AsyncSequence, Sendable {
    let subscribe: @Sendable () async throws -> Subscription
    let value: @Sendable (Event) throws -> Value?

    /// Creates an iterator with a subscription of its own, which begins with the first state.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(updates: self)
    }

    /// An iterator over the states of an aspect.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let updates: Updates
        private var subscription: Subscription?

        init(updates: Updates) {
            self.updates = updates
        }

        /// Waits for the next state; `nil` at the end, and in a cancelled task.
        ///
        /// - Throws: ``ReveilleError``: at first as
        ///   ``Device/subscribe(to:options:)`` does, then as
        ///   ``Subscription/next(isolation:)`` does, and ``ReveilleError/Code/unexpectedValue`` for a published value
        ///   of another type.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
            let events = try await begin()
            while let event = try await events.next(isolation: actor) {
                if let value = try updates.value(event) { return value }
            }
            return nil
        }

        private mutating func begin() async throws -> Subscription {
            if let subscription { return subscription }
            let begun = try await updates.subscribe()
            subscription = begun
            return begun
        }
    }
}
