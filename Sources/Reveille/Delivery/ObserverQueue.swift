// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// The observers of one actor to whom something is due, in the order in which they are to be called; any thread.
///
/// Of one change they are called in the order in which they came. Whoever is told of a later change too, merged, is
/// called where that one is due.
final class ObserverQueue: Sendable {
    private struct State {
        var due: [Observer] = []
        var waiter: CheckedContinuation<Void, Never>?
        var isEnded = false
    }

    private let state = Lock(State())

    /// Puts an observer behind all others.
    func enqueue(_ observer: Observer) {
        wake { state in
            state.due.removeAll { $0 === observer }
            state.due.append(observer)
        }
    }

    /// Ends ``run(isolation:)``.
    func end() {
        wake { $0.isEnded = true }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Calls observers on an actor until the end.
    func run(isolation: isolated (any Actor)?) async {
        while true {
            let (next, isEnded) = state.withLock { state in
                (state.due.isEmpty ? nil : state.due.removeFirst(), state.isEnded)
            }
            if isEnded { return }
            if let next { next.call() } else { await wait(isolation: isolation) }
        }
    }

    private func wait(isolation: isolated (any Actor)?) async {
        await withCheckedContinuation(isolation: isolation) { continuation in
            let isDue = state.withLock { state in
                guard state.due.isEmpty, !state.isEnded else { return true }
                state.waiter = continuation
                return false
            }
            if isDue { continuation.resume() }
        }
    }
}

/// The queues of a device: one for each actor that observes; any thread.
final class ObserverQueues: Sendable {
    private struct Entry {
        let queue = ObserverQueue()
        var observers = 1
    }

    private let entries = Lock<[ObjectIdentifier: Entry]>([:])

    /// The queue of an actor, for one more observer; without an actor a queue of its own.
    ///
    /// - Returns: The queue, and whether it is to be run.
    func join(_ actor: (any Actor)?) -> (ObserverQueue, isNew: Bool) {
        guard let actor else { return (ObserverQueue(), true) }
        return entries.withLock { entries in
            if let entry = entries[ObjectIdentifier(actor)] {
                entries[ObjectIdentifier(actor)]?.observers += 1
                return (entry.queue, false)
            }
            let entry = Entry()
            entries[ObjectIdentifier(actor)] = entry
            return (entry.queue, true)
        }
    }

    /// Leaves a queue; the last one ends it.
    func leave(_ queue: ObserverQueue) {
        let isLast = entries.withLock { entries in
            guard let (actor, entry) = entries.first(where: { $0.value.queue === queue }) else { return true }
            entries[actor]?.observers -= 1
            guard entry.observers == 1 else { return false }
            entries[actor] = nil
            return true
        }
        if isLast { queue.end() }
    }
}
