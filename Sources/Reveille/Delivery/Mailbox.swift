// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// The events that wait for one consumer; safe on any thread.
final class Mailbox: EventSink, Sendable {
    private struct State {
        var inbox: Inbox
        /// Whether the consumer is in the background: nothing is due.
        var isParked = false
        var end: Result<Void, ReveilleError>?
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
    }

    private enum Turn {
        case event(Event)
        case end(Result<Void, ReveilleError>)
        case wait(Int)
    }

    private let state: Lock<State>

    init(policies: [Aspect: Policy] = [:]) {
        state = Lock(State(inbox: Inbox(policies: policies)))
    }

    // MARK: - Input

    func start(from events: [Event], of instance: String) {
        state.withLock { $0.inbox.start(from: events, of: instance) }
    }

    func restart(from events: [Event], of instance: String) {
        wake { $0.inbox.restart(from: events, of: instance) }
    }

    func answer(_ states: [Event]) {
        wake { $0.inbox.put(states, areAnswers: true) }
    }

    func skip(_ states: [Event]) {
        wake { $0.inbox.skip(states) }
    }

    func put(_ events: [Event]) {
        wake { $0.inbox.put(events) }
    }

    func park() {
        state.withLock { $0.isParked = true }
    }

    func unpark() {
        wake { $0.isParked = false }
    }

    func finish(_ error: ReveilleError) {
        wake { if $0.end == nil { $0.end = .failure(error) } }
    }

    /// Ends the consumer's sequence at once; waiting events are discarded.
    func cancel() {
        wake { $0.end = .success(()) }
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

    // MARK: - Output

    var isEmpty: Bool { state.withLock { $0.inbox.isEmpty } }

    /// The positions of the events taken so far; `nil` before the bus has answered.
    var positions: Positions? { state.withLock { $0.inbox.positions } }

    /// Waits for the next event; `nil` at the end, and in a cancelled task.
    ///
    /// An event is taken at the last moment: later events are merged into it until then.
    func next(isolation: isolated (any Actor)?) async throws(ReveilleError) -> Event? {
        while !Task.isCancelled {
            switch turn() {
            case .event(let event): return event
            case .end(let end):
                try end.get()
                return nil
            case .wait(let waiter): await wait(as: waiter, isolation: isolation)
            }
        }
        return nil
    }

    private func turn() -> Turn {
        state.withLock { state in
            // After a cancellation nothing is delivered; a failure comes after the events before it.
            if case .success? = state.end { return .end(.success(())) }
            if let event = state.inbox.take(inBackground: state.isParked) { return .event(event) }
            if let end = state.end { return .end(end) }
            state.lastWaiter += 1
            return .wait(state.lastWaiter)
        }
    }

    private func wait(as waiter: Int, isolation: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: isolation) { continuation in
                let isDue = state.withLock { state in
                    // Checked again under the lock: an event or a cancellation before this has not resumed this waiter.
                    if Task.isCancelled || state.end != nil || state.inbox.hasNext(inBackground: state.isParked) {
                        return true
                    }
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
