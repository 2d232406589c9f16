// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

extension Device {
    /// Returns the states of one aspect, in its own type: the current one, then each new one.
    ///
    /// ```swift
    /// for try await battery in try await device.updates(of: \.battery) {
    ///     print(battery.state, battery.level as Any)
    /// }
    /// ```
    ///
    /// States that are not taken are merged, as in every ``Subscription``. For the number of changes that a state stands
    /// for, and for the background, use the sequence's ``Updates/events``.
    ///
    /// - Parameters:
    ///   - aspect: The aspect, by its name.
    ///   - name: A display name, as `reveille status` shows it.
    /// - Returns: The states; the subscription ends when the sequence is released.
    /// - Throws: ``ReveilleError``.
    public func updates<Value>(
        of aspect: KeyPath<TypedAspects, TypedAspect<Value>>, name: String? = nil
    ) async throws(ReveilleError) -> Updates<Value> {
        let typed = TypedAspects()[keyPath: aspect]
        let events = try await subscribe(to: AspectSet(typed.aspect), delivering: .currentState, name: name)
        return Updates(events: events, value: typed.value)
    }
}

/// The states of one aspect, from ``Device/updates(of:name:)``.
///
/// It ends and throws as its ``events`` do.
public struct Updates<Value: Sendable>: AsyncSequence, Sendable {
    /// The subscription behind the sequence, for positions and for the background.
    ///
    /// An event that is taken from it is no longer an element of this sequence.
    public let events: Subscription
    let value: @Sendable (Reading) -> Value?

    /// Creates an iterator, which retains the subscription.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(events: events, value: value)
    }

    /// An iterator over the states of an aspect.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let events: Subscription
        let value: @Sendable (Reading) -> Value?

        /// Waits for the next state; `nil` at the end, and in a cancelled task.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ReveilleError) -> Value? {
            while let event = try await events.next(isolation: actor) {
                if let value = value(event.reading) { return value }
            }
            return nil
        }
    }
}
