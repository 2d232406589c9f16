// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

extension Device {
    /// The states of one aspect, in its own type: the one of now, then each that it changes to.
    ///
    /// ```swift
    /// for try await battery in try await device.updates(of: \.battery) {
    ///     print(battery.state, battery.level as Any)
    /// }
    /// ```
    ///
    /// What is not taken is merged, as of every ``Subscription``. To know how many changes a state stands for, or to go
    /// to the background, keep the sequence and use its ``Updates/events``.
    ///
    /// - Parameters:
    ///   - aspect: The aspect, by its name.
    ///   - name: A name for people, as `reveille status` shows it.
    /// - Returns: The states; the bus is told of nobody's interest any more once the sequence is released.
    /// - Throws: ``ReveilleError``.
    public func updates<Value>(
        of aspect: KeyPath<TypedAspects, TypedAspect<Value>>, name: String? = nil
    ) async throws(ReveilleError) -> Updates<Value> {
        let typed = TypedAspects()[keyPath: aspect]
        let events = try await subscribe(to: AspectSet(typed.aspect), delivering: .currentState, name: name)
        return Updates(events: events, value: typed.value)
    }
}

/// The states of one aspect, as ``Device/updates(of:name:)`` gives them.
///
/// Ends and throws where its ``events`` do.
public struct Updates<Value: Sendable>: AsyncSequence, Sendable {
    /// The same as events, with what was merged into each; and what goes to the background and wakes.
    ///
    /// An event that is taken here is not an element of the sequence any more.
    public let events: Subscription
    let value: @Sendable (Reading) -> Value?

    /// Makes an iterator, which keeps the subscription.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(events: events, value: value)
    }

    /// Takes states one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let events: Subscription
        let value: @Sendable (Reading) -> Value?

        /// The next state, once there is one; `nil` at the end and for a task that is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ReveilleError) -> Value? {
            while let event = try await events.next(isolation: actor) {
                if let value = value(event.reading) { return value }
            }
            return nil
        }

        /// The next state, once there is one; `nil` at the end and for a task that is cancelled.
        public mutating func next() async throws(ReveilleError) -> Value? {
            try await next(isolation: nil)
        }
    }
}
