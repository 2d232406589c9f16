// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import ReveilleSystem

extension Device {
    /// Calls a closure on the caller's actor with each event of an aspect, until the returned token is released.
    ///
    /// ```swift
    /// let observation = try await device.observe(.locale) { event in print(event) }
    /// ```
    ///
    /// The closure is called with one event at a time. The observers of one actor are called in the order in which they
    /// were added. Events that arrive while a closure runs are merged; a closure that runs for more than ten seconds is
    /// logged, and delays only its own actor. Without an actor, use ``observeConcurrently(_:options:_:)``.
    ///
    /// The actor is not retained. An actor can own its observations if its closures do not retain it:
    ///
    /// ```swift
    /// actor Screen {
    ///     private var observation: ObservationToken?
    ///
    ///     func show(_ event: Event) {}
    ///
    ///     func follow(_ device: Device) async throws {
    ///         observation = try await device.observe(.battery) { [weak self] event in
    ///             self?.assumeIsolated { $0.show(event) }
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// All observers of an aspect of this device with the same options share one subscription of the bus, which ends with
    /// the last of them. An observer that resumes has one of its own.
    ///
    /// - Parameters:
    ///   - aspect: The aspect, published name or pattern whose changes are delivered.
    ///   - options: The options of the subscription.
    ///   - isolation: The actor to run the closure on.
    ///   - handler: Called with each event.
    /// - Returns: The token; the closure is not called after its release or cancellation.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` for an invalid name or domain, or
    ///   ``ReveilleError/Code/quotaExceeded`` if the user has too many connections or lists of domains.
    public func observe(
        _ aspect: Aspect, options: SubscriptionOptions = SubscriptionOptions(),
        isolation: isolated any Actor = #isolation,
        _ handler: @escaping (Event) -> Void
    ) async throws -> ObservationToken {
        let request = try options.request(for: AspectSet(aspect), name: "observers of \(aspect)")
        return try await observe(
            aspect, request, Observer(request, queue: queues.queue(on: isolation), handler: handler))
    }

    /// Calls a closure on any thread with each event of an aspect, as ``observe(_:options:isolation:_:)`` does on an
    /// actor.
    ///
    /// ```swift
    /// let observation = try await device.observeConcurrently(.locale) { event in print(event) }
    /// ```
    ///
    /// The closure is called with one event at a time, and at the same time as other closures.
    ///
    /// - Parameters:
    ///   - aspect: The aspect, published name or pattern whose changes are delivered.
    ///   - options: The options of the subscription.
    ///   - handler: Called with each event.
    /// - Returns: The token; the closure is not called after its release or cancellation.
    /// - Throws: ``ReveilleError``, as ``observe(_:options:isolation:_:)`` does.
    public func observeConcurrently(
        _ aspect: Aspect, options: SubscriptionOptions = SubscriptionOptions(),
        _ handler: @escaping @Sendable (Event) -> Void
    ) async throws -> ObservationToken {
        let request = try options.request(for: AspectSet(aspect), name: "observers of \(aspect)")
        return try await observe(aspect, request, Observer(request, queue: ObserverQueue(on: nil), handler: handler))
    }

    private func observe(
        _ aspect: Aspect, _ request: SubscriptionRequest, _ observer: Observer
    ) async throws -> ObservationToken {
        let place = try await engine.observe(aspect, request, observer)
        return ObservationToken(observer) { [self] in
            Task { await engine.stopObserving(place) }
        }
    }
}

/// The token of an observer; its closure is called for as long as the token is retained.
public final class ObservationToken: Sendable {
    private let observer: Observer
    /// Retains the device, and removes the observer; `nil` once it has been called.
    private let onCancel: Lock<(@Sendable () -> Void)?>

    init(_ observer: Observer, onCancel: @escaping @Sendable () -> Void) {
        self.observer = observer
        self.onCancel = Lock(onCancel)
    }

    deinit {
        cancel()
    }

    /// The reason why the observation has ended without being cancelled; `nil` while it continues.
    ///
    /// The bus has refused the subscription permanently, or violated its protocol; a restart of the bus does not end
    /// an observation. Waiting events are still delivered. The failure is logged too. Call
    /// ``Device/observe(_:options:isolation:_:)`` to start again.
    public var failure: ReveilleError? { observer.failure }

    /// Ends the observation: the closure is not called after the return, even if an event was waiting.
    ///
    /// Called from another actor, it does not wait for a running call of the closure.
    public func cancel() {
        observer.cancel()
        let onCancel = onCancel.withLock { $0.take() }
        onCancel?()
    }
}
