// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore

extension Device {
    /// The current state of an aspect of the device, by the name of the aspect: `try await device.battery`.
    ///
    /// Each type says what its value is without a source, such as `Light.unknown` without a sensor. A sample of `motion`
    /// is taken now, the settings have all their keys, and each folder has all its names as `added`.
    ///
    /// - Throws: ``ReveilleError``, as ``get(_:)`` does.
    public subscript<State: AspectState>(dynamicMember state: KeyPath<Reading, State?>) -> State {
        get async throws { try await current() }
    }

    func current<State: AspectState>() async throws -> State {
        let event = try await get(State.aspect)
        guard let state = event.reading.state as? State else {
            throw ReveilleError(.invalidReply, "GetState: no state of \(State.aspect)")
        }
        return state
    }

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
    /// - Parameters:
    ///   - aspect: The aspect.
    ///   - name: A display name, as `reveille status` shows it.
    /// - Returns: The states. A loop throws ``ReveilleError``, as
    ///   ``subscribe(to:initial:policies:resume:name:background:domains:)-(Aspect,_,_,_,_,_,_)`` does.
    public func updates<State: AspectState>(
        of aspect: TypedAspect<State>, name: String? = nil
    ) -> Updates<State> {
        Updates {
            try await self.subscribe(to: State.aspect, initial: true, name: name)
        } value: { event in
            event.reading.state as? State
        }
    }

    /// Returns some domains of the user's settings: the current ones, then the keys of each change, as
    /// ``updates(of:name:)`` does for all domains.
    ///
    /// ```swift
    /// for try await change in device.updates(of: .defaults, domains: ["app/*", "dconf:/org/gnome/desktop/interface/"]) {
    ///     print(change)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - aspect: The settings.
    ///   - domains: The domains, as for a subscription.
    ///   - name: A display name, as `reveille status` shows it.
    /// - Returns: The states. A loop throws ``ReveilleError``, as
    ///   ``subscribe(to:initial:policies:resume:name:background:domains:)-(Aspect,_,_,_,_,_,_)`` does.
    public func updates(
        of aspect: TypedAspect<Defaults>, domains: [String], name: String? = nil
    ) -> Updates<Defaults> {
        Updates {
            try await self.subscribe(to: .defaults, initial: true, name: name, domains: domains)
        } value: { event in
            event.defaults
        }
    }

    /// Returns the values of a name that a program publishes: the current one, then each new one, and `nil` while nothing
    /// is published.
    ///
    /// ```swift
    /// struct Volume: Codable {
    ///     var level: Double
    /// }
    /// for try await volume in device.updates(of: "org.example.volume", as: Volume.self) {
    ///     if let volume { print(volume.level) } else { print("no player") }
    /// }
    /// ```
    ///
    /// The name need not be published yet. Each loop has a subscription of its own, which begins and ends with the loop.
    /// Values that are not taken are merged, as in every ``Subscription``. For a pattern, subscribe and use
    /// `Event.value(as:)`.
    ///
    /// - Parameters:
    ///   - published: The published name.
    ///   - type: The type of the values.
    ///   - name: A display name, as `reveille status` shows it.
    /// - Returns: The values. A loop throws ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` if the name cannot be
    ///   published, such as a pattern, and ``ReveilleError/Code/unexpectedValue`` for a value of another type.
    public func updates<Value: Decodable & Sendable>(
        of published: Aspect, as type: Value.Type = Value.self, name: String? = nil
    ) -> Updates<Value?> {
        Updates {
            try published.checkIsPublished()
            return try await self.subscribe(to: published, initial: true, name: name)
        } value: { event in
            .some(try event.value(as: type))
        }
    }
}

/// The states of one aspect, from ``Device/updates(of:name:)`` or ``Device/updates(of:as:name:)``.
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
        ///   ``Device/subscribe(to:initial:policies:resume:name:background:domains:)-(Aspect,_,_,_,_,_,_)`` does, then as
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
