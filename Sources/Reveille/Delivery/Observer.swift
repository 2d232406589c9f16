// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// A closure that observes an aspect, and the events that wait for it; safe on any thread.
final class Observer: EventSink, Sendable {
    private struct State {
        var inbox: Inbox
        var isCancelled = false
        /// When the closure was called, while it runs.
        var since: Int64?
        var isReported = false

        var isDue: Bool { !isCancelled && inbox.hasNext }
    }

    private let state: Lock<State>
    private let queue: ObserverQueue
    /// Called only by the queue, on its actor.
    private nonisolated(unsafe) let handler: (Event) -> Void

    init(_ request: SubscriptionRequest, queue: ObserverQueue, handler: @escaping (Event) -> Void) {
        state = Lock(State(inbox: Inbox(request)))
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

/// The observers of one actor that have an event due, in the order of their calls; safe on any thread.
///
/// For one change, they are called in the order of their addition. An observer whose event is merged with a later
/// change is called in the order of the later change.
///
/// The actor is retained only while observers are called, so that an actor can own its observations.
final class ObserverQueue: Sendable {
    private struct State {
        weak var actor: (any Actor)?
        var due: [Observer] = []
        var isRunning = false
    }

    private let state: Lock<State>
    private let hasActor: Bool

    /// Creates a queue that calls on an actor; without one, on any thread.
    init(on actor: (any Actor)?) {
        hasActor = actor != nil
        state = Lock(State(actor: actor))
    }

    /// Returns whether this queue belongs to the actor, and not to an earlier actor at the same address in memory.
    func belongs(to actor: any Actor) -> Bool {
        state.withLock { $0.actor === actor }
    }

    func enqueue(_ observer: Observer) {
        let (starts, actor) = state.withLock { state -> (Bool, (any Actor)?) in
            state.due.removeAll { $0 === observer }
            guard !hasActor || state.actor != nil else { return (false, nil) }
            state.due.append(observer)
            defer { state.isRunning = true }
            return (!state.isRunning, state.actor)
        }
        if starts { Task { await run(isolation: actor) } }
    }

    private func run(isolation: isolated (any Actor)?) async {
        while let next = next() { next.call() }
    }

    private func next() -> Observer? {
        state.withLock { state in
            state.isRunning = !state.due.isEmpty
            return state.due.isEmpty ? nil : state.due.removeFirst()
        }
    }
}

/// The queues of a device, one for each actor with observers, which retain them; safe on any thread.
final class ObserverQueues: Sendable {
    private struct Entry {
        weak var queue: ObserverQueue?
    }

    private let entries = Lock<[ObjectIdentifier: Entry]>([:])

    func queue(on actor: any Actor) -> ObserverQueue {
        entries.withLock { entries in
            if let queue = entries[ObjectIdentifier(actor)]?.queue, queue.belongs(to: actor) { return queue }
            let queue = ObserverQueue(on: actor)
            entries = entries.filter { $0.value.queue != nil }
            entries[ObjectIdentifier(actor)] = Entry(queue: queue)
            return queue
        }
    }
}
