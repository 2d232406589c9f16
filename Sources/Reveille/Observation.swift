// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import ReveilleSystem

extension Device {
    /// Calls a closure with each event of an aspect, until the returned token is released.
    ///
    /// ```swift
    /// let observation = try await device.observe(.locale) { event in print(event) }
    /// ```
    ///
    /// The closure runs on the actor of the caller, one event at a time. The observers of one actor are called in the
    /// order in which they were added. Events that arrive while a closure runs are merged; a closure that runs for more
    /// than ten seconds is logged, and delays only its own actor.
    ///
    /// The actor is not retained. An actor can own its observations if its closures do not retain it:
    ///
    /// ```swift
    /// actor Screen {
    ///     private var observation: Observation?
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
    /// All observers of an aspect of this device share one subscription of the bus, which ends with the last of them.
    ///
    /// - Parameters:
    ///   - aspect: The aspect, published name or pattern whose changes are delivered.
    ///   - delivering: Whether the current state is delivered first.
    ///   - isolation: The actor to run the closure on.
    ///   - handler: Called with each event.
    /// - Returns: The token; the closure is not called after its release or cancellation.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` for an invalid name, or
    ///   ``ReveilleError/Code/quotaExceeded`` if the user has too many connections.
    public func observe(
        _ aspect: Aspect, delivering: Delivering = .changes, isolation: isolated (any Actor)? = #isolation,
        _ handler: @escaping (Event) -> Void
    ) async throws(ReveilleError) -> Observation {
        let observer = Observer(queue: queues.queue(on: isolation), handler: handler)
        let id = try await engine.observe(aspect, observer, wantsCurrent: delivering == .currentState)
        return Observation(observer) { [self] in
            Task { await engine.stopObserving(aspect, id: id) }
        }
    }
}

/// The token of an observer; its closure is called for as long as the token is retained.
public final class Observation: Sendable {
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
    /// ``Device/observe(_:delivering:isolation:_:)`` to start again.
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
