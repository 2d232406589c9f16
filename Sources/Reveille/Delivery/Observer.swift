// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// A closure that observes an aspect, and the events that wait for it; safe on any thread.
final class Observer: EventSink, Sendable {
    private struct State {
        var inbox = Inbox()
        var isCancelled = false
        /// When the closure was called, while it runs.
        var since: Int64?
        var isReported = false

        var isDue: Bool { !isCancelled && inbox.hasNext }
    }

    private let state = Lock(State())
    private let queue: ObserverQueue
    /// Called only by the queue, on its actor.
    private nonisolated(unsafe) let handler: (Event) -> Void

    init(queue: ObserverQueue, handler: @escaping (Event) -> Void) {
        self.queue = queue
        self.handler = handler
    }

    func receive(_ output: StreamOutput) {
        change { $0.inbox.receive(output) }
    }

    var failure: ReveilleError? { state.withLock { $0.inbox.failure } }

    func cancel() {
        change { $0.isCancelled = true }
    }

    private func change(_ change: (inout State) -> Void) {
        let isDue = state.withLock { state in
            change(&state)
            return state.isDue
        }
        if isDue { queue.enqueue(self) }
    }

    /// Calls the closure with the next event, if one is still due.
    func call() {
        let event: Event? = state.withLock { state in
            guard state.isDue else { return nil }
            state.since = Clocks.boot()
            return state.inbox.take()
        }
        guard let event else { return }
        handler(event)
        change { $0.since = nil }
    }

    // MARK: - Slow closures

    var isBusy: Bool { state.withLock { $0.since != nil || $0.isDue } }

    /// Returns true, once, if the closure has been running for longer than a time.
    func isOverdue(after patience: Duration) -> Bool {
        state.withLock { state in
            guard let since = state.since, !state.isReported else { return false }
            state.isReported = Clocks.boot() - since > Int64(patience / .microseconds(1))
            return state.isReported
        }
    }
}
