// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore

extension Device {
    /// The current state of an aspect of the device, by the name of the aspect: `try await device.battery`.
    ///
    /// Each type says what its value is without a source, such as `Light.unknown` without a sensor. A sample of `motion`
    /// is taken now, the settings have all their keys, and each folder has all its names as `added`.
    public subscript<State: AspectState>(dynamicMember state: KeyPath<Reading, State?>) -> State {
        get async throws(ReveilleError) {
            let event = try await self.state(of: State.aspect)
            guard let state = event.reading.state as? State else {
                throw ReveilleError(.invalidReply, "GetState: no state of \(State.aspect)")
            }
            return state
        }
    }

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
    ///   - state: The key path of the aspect's state: `\.battery`.
    ///   - name: A display name, as `reveille status` shows it.
    /// - Returns: The states; the subscription ends when the sequence is released.
    /// - Throws: ``ReveilleError``, as ``subscribe(to:delivering:policies:resumingFrom:name:startsInBackground:)`` does.
    public func updates<State: AspectState>(
        of state: KeyPath<Reading, State?>, name: String? = nil
    ) async throws(ReveilleError) -> Updates<State> {
        let events = try await subscribe(to: AspectSet(State.aspect), delivering: .currentState, name: name)
        return Updates(events: events) { event throws(ReveilleError) in event.reading.state as? State }
    }

    /// Returns the values of a name that a program publishes: the current one, then each new one, and `nil` while nothing
    /// is published.
    ///
    /// ```swift
    /// struct Volume: Codable {
    ///     var level: Double
    /// }
    /// for try await volume in try await device.updates(of: "org.example.volume", as: Volume.self) {
    ///     if let volume { print(volume.level) } else { print("no player") }
    /// }
    /// ```
    ///
    /// The name need not be published yet. Values that are not taken are merged, as in every ``Subscription``. For a
    /// pattern, subscribe and use `Event.value(as:)`.
    ///
    /// A value of another type throws ``ReveilleError/Code/unexpectedValue`` and ends the loop, but not the sequence:
    /// another loop over it continues with the next value.
    ///
    /// - Parameters:
    ///   - published: The published name.
    ///   - type: The type of the values.
    ///   - name: A display name, as `reveille status` shows it.
    /// - Returns: The values; the subscription ends when the sequence is released.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` if the name cannot be published, such as a
    ///   pattern.
    public func updates<Value: Decodable & Sendable>(
        of published: Aspect, as type: Value.Type = Value.self, name: String? = nil
    ) async throws(ReveilleError) -> Updates<Value?> {
        try published.checkIsPublished()
        let events = try await subscribe(to: AspectSet(published), delivering: .currentState, name: name)
        return Updates(events: events) { event throws(ReveilleError) in .some(try event.value(as: type)) }
    }
}

/// The states of one aspect, from ``Device/updates(of:name:)`` or ``Device/updates(of:as:name:)``.
///
/// It ends and throws as its ``events`` do.
public struct Updates<Value: Sendable>: AsyncSequence, Sendable {
    /// The subscription behind the sequence, for positions and for the background.
    ///
    /// An event taken from the subscription is no longer an element of this sequence.
    public let events: Subscription
    let value: @Sendable (Event) throws(ReveilleError) -> Value?

    /// Creates an iterator, which retains the subscription.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(updates: self)
    }

    /// An iterator over the states of an aspect.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let updates: Updates

        /// Waits for the next state; `nil` at the end, and in a cancelled task.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ReveilleError) -> Value? {
            while let event = try await updates.events.next(isolation: actor) {
                if let value = try updates.value(event) { return value }
            }
            return nil
        }
    }
}
