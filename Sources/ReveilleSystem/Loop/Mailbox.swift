// SPDX-License-Identifier: Apache-2.0

/// The contents of a ``Mailbox``, which its consumers take.
package protocol MailboxContents {
    /// An item that a consumer takes.
    associatedtype Item
    /// The reason why there are no further items.
    associatedtype Failure: Error

    /// Whether there is an item, or the end.
    var isDue: Bool { get }
    /// Takes the next item, or `nil` at the end; returns no result if there is neither yet.
    mutating func takeNext() -> Result<Item?, Failure>?
}

/// Contents that one side changes and that consumers wait for; safe on any thread.
package final class Mailbox<Contents: MailboxContents & Sendable>: Sendable where Contents.Item: Sendable {
    private struct State {
        var contents: Contents
        var isCancelled = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0

        var isDue: Bool { isCancelled || contents.isDue }

        mutating func take() -> Result<Contents.Item?, Contents.Failure>? {
            isCancelled ? .success(nil) : contents.takeNext()
        }
    }

    private let state: Lock<State>

    package init(_ contents: sending Contents) { state = Lock(State(contents: contents)) }

    /// Reads or changes the contents, without waking consumers.
    package func withContents<Result: Sendable>(_ body: (inout Contents) -> Result) -> Result {
        state.withLock { body(&$0.contents) }
    }

    /// Changes the contents, and resumes the consumers that wait if something is due.
    package func change<Result: Sendable>(_ change: (inout Contents) -> Result) -> Result {
        wake { change(&$0.contents) }
    }

    /// Ends the consumers' sequence at once; waiting items are discarded.
    package func cancel() { wake { $0.isCancelled = true } }

    private func wake<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, waiters) = state.withLock { state in
            let result = change(&state)
            guard state.isDue else { return (result, [CheckedContinuation<Void, Never>]()) }
            defer { state.waiters = [:] }
            return (result, Array(state.waiters.values))
        }
        // Each waiter looks for an item itself: a waiter that was cancelled in between takes nothing from the others.
        for waiter in waiters { waiter.resume() }
        return result
    }

    package func nextIfDue() throws(Contents.Failure) -> Contents.Item? {
        try state.withLock { $0.take() }?.get() ?? nil
    }

    /// Waits for the next item; `nil` at the end, and in a cancelled task.
    ///
    /// An item is taken at the last moment: until then, later items are merged into it.
    package func next(isolation: isolated (any Actor)?) async throws(Contents.Failure) -> Contents.Item? {
        while !Task.isCancelled {
            if let result = state.withLock({ $0.take() }) { return try result.get() }
            await wait(isolation: isolation)
        }
        return nil
    }

    private func wait(isolation: isolated (any Actor)?) async {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: isolation) { continuation in
                let isDue = state.withLock { state in
                    // Checked again under the lock: an item or a cancellation before this has not resumed this waiter.
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
