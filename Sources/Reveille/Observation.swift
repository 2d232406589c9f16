// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

public import ReveilleCore
import ReveilleSystem

extension Device {
    /// Has a closure called with each event of an aspect, until its token is released.
    ///
    /// ```swift
    /// let observation = try await device.observe(.locale) { event in print(event) }
    /// ```
    ///
    /// The closure runs on the actor that this is called from, one event after the other. Observers on one actor are
    /// called in the order in which they came. What comes while a closure runs is merged; a closure that runs for
    /// more than ten seconds is named in the log, and holds up nobody but its actor.
    ///
    /// The actor is not kept. One that keeps its own observations is released as ever, if its closures do not keep it:
    ///
    /// ```swift
    /// observation = try await device.observe(.battery) { [weak self] event in
    ///     self?.assumeIsolated { $0.show(event) }
    /// }
    /// ```
    ///
    /// All observers of an aspect in this process share one subscription of the bus, which is there for as long as one
    /// of them is.
    ///
    /// - Parameters:
    ///   - aspect: What to be told of.
    ///   - delivering: Whether the state that is there comes first.
    ///   - isolation: The actor to be called on.
    ///   - handler: Gets the events.
    /// - Returns: The token; the closure is not called any more once it is released or cancelled.
    /// - Throws: ``ReveilleError``.
    public func observe(
        _ aspect: Aspect, delivering: Delivering = .changes, isolation: isolated (any Actor)? = #isolation,
        _ handler: @escaping (Event) -> Void
    ) async throws(ReveilleError) -> Observation {
        let queue = queues.join(isolation)
        let observer = Observer(queue: queue, handler: handler)
        do throws(ReveilleError) {
            let id = try await engine.observe(aspect, observer, wantsCurrent: delivering == .currentState)
            return Observation(self, aspect, id, observer, queue)
        } catch {
            queues.leave(queue)
            throw error
        }
    }
}

/// The token of an observer: while somebody has it, the closure is called.
public final class Observation: Sendable {
    private let device: Device
    private let aspect: Aspect
    private let id: Int
    private let observer: Observer
    private let queue: Lock<ObserverQueue?>

    init(_ device: Device, _ aspect: Aspect, _ id: Int, _ observer: Observer, _ queue: ObserverQueue) {
        self.device = device
        self.aspect = aspect
        self.id = id
        self.observer = observer
        self.queue = Lock(queue)
    }

    deinit {
        cancel()
    }

    /// Why the closure is not called any more, although nobody cancelled it; `nil` for as long as it goes on.
    ///
    /// The bus refused the subscription for good, or said what no bus says: a restart of the bus is no such reason.
    /// What waited is still delivered. The log says it too; another ``Device/observe(_:delivering:isolation:_:)`` begins
    /// anew.
    public var failure: ReveilleError? { observer.failure }

    /// Ends it: from the return on the closure is not called, even if an event was waiting for it.
    ///
    /// Called from another actor, it does not wait for a call that is running.
    public func cancel() {
        observer.cancel()
        guard
            let queue = queue.withLock({ queue in
                defer { queue = nil }
                return queue
            })
        else { return }
        device.queues.leave(queue)
        Task { [device, aspect, id] in await device.engine.stopObserving(aspect, id: id) }
    }
}
