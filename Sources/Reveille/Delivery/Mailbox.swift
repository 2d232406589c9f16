// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// The events that wait for one consumer; safe on any thread.
final class Mailbox: EventSink, Sendable {
    private struct State {
        var inbox: Inbox
        var isCancelled = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0

        /// Whether there is an event, or the end.
        var isDue: Bool { isCancelled || inbox.failure != nil || inbox.hasNext }

        /// Takes the next event, or `nil` at the end; returns no result if there is neither yet.
        mutating func take() -> Result<Event?, ReveilleError>? {
            // After a cancellation nothing is delivered; a failure comes after the events before it.
            if isCancelled { return .success(nil) }
            if let event = inbox.take() { return .success(event) }
            return inbox.failure.map { .failure($0) }
        }
    }

    private let state: Lock<State>

    init(_ request: SubscriptionRequest = SubscriptionRequest()) {
        state = Lock(State(inbox: Inbox(request)))
    }

    func receive(_ output: StreamOutput) {
        wake { $0.inbox.receive(output) }
    }

    /// Ends the consumer's sequence at once; waiting events are discarded.
    func cancel() {
        wake { $0.isCancelled = true }
    }

    /// Makes a change, and resumes the waiting consumers.
    private func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        // Each looks for an event itself: one that was cancelled in between takes nothing from the others.
        for waiter in waiters { waiter.resume() }
    }

    /// The positions of the events taken so far; `nil` before the bus has answered.
    var positions: Positions? { state.withLock { $0.inbox.positions } }

    /// Waits for the next event; `nil` at the end, and in a cancelled task.
    ///
    /// An event is taken at the last moment: later events are merged into it until then.
    func next(isolation: isolated (any Actor)?) async throws(ReveilleError) -> Event? {
        while !Task.isCancelled {
            if let result = state.withLock({ $0.take() }) { return try result.get() }
            await wait(isolation: isolation)
        }
        return nil
    }

    /// Takes the next event if one is due.
    func nextIfDue() -> Event? {
        state.withLock { state in state.isCancelled ? nil : state.inbox.take() }
    }

    private func wait(isolation: isolated (any Actor)?) async {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: isolation) { continuation in
                let isDue = state.withLock { state in
                    // Checked again under the lock: an event or a cancellation before this has not resumed this waiter.
                    if Task.isCancelled || state.isDue { return true }
                    state.waiters[waiter] = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
        }
    }
}
