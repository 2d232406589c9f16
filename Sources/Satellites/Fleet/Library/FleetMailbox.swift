// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleFleetCore
import ReveilleSystem

/// What a reader has received and a consumer has not taken yet, merged; safe on any thread.
///
/// The reader is never delayed by a slow consumer: a broker drops messages for a client that does not read.
package final class FleetMailbox: Sendable {
    private struct State {
        var ledger: Ledger
        var inbox = FleetInbox()
        /// The events that were taken and not confirmed; `nil` if taking them is enough.
        var unconfirmed: FleetInbox?
        /// Why the broker is out of reach, if the consumer has not been notified yet.
        var loss: FleetError?
        /// The number of events before the notice that everything has arrived; `nil` if there is none.
        var caughtUpAfter: Int?
        var failure: FleetError?
        var isCancelled = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0

        /// Whether there is an event, or the end.
        var isDue: Bool {
            isCancelled || failure != nil || loss != nil || caughtUpAfter != nil || !inbox.isEmpty
        }

        /// Takes the next event, or `nil` at the end; returns no result if there is neither yet.
        mutating func take() -> Result<FleetEvent?, FleetError>? {
            if isCancelled { return .success(nil) }
            if let loss {
                self.loss = nil
                return .success(.disconnected(loss))
            }
            if let count = caughtUpAfter {
                // Some events may have come to nothing since they were counted.
                let isNow = count == 0 || inbox.isEmpty
                caughtUpAfter = isNow ? nil : count - 1
                if isNow { return .success(.caughtUp) }
            }
            if let event = inbox.take() {
                ledger.noteTaken(event)
                unconfirmed?.put(event)
                return .success(event)
            }
            return failure.map { .failure($0) }
        }
    }

    private let state: Lock<State>

    /// Creates a mailbox.
    ///
    /// - Parameters:
    ///   - ledger: What the consumer has seen earlier.
    ///   - confirmsEvents: Whether events count as seen only after ``confirm()``.
    package init(resumingFrom ledger: Ledger = Ledger(), confirmsEvents: Bool = false) {
        state = Lock(State(ledger: ledger, unconfirmed: confirmsEvents ? FleetInbox() : nil))
    }

    // MARK: - The reader

    /// Notes that the broker is reached, and delivers everything that it keeps again.
    func connect() {
        state.withLock { state in
            state.ledger.connect()
            (state.loss, state.failure) = (nil, nil)
        }
    }

    /// Notes that the broker was lost, or is still out of reach.
    func lose(_ error: FleetError) {
        wake { state in
            state.loss = error
            state.caughtUpAfter = nil
        }
    }

    /// Ends the events after those that wait.
    func fail(_ error: FleetError) {
        wake { $0.failure = error }
    }

    /// Adds a problem of the connection, unless it was reported before.
    func put(_ problem: FleetProblem, at now: Int64) {
        wake { state in state.inbox.put(Ledger.Outcome(problem: state.ledger.report(problem, at: now))) }
    }

    /// Takes the arrival of all that the broker sent, and returns the devices to ask for again.
    func mark(_ completeness: inout Completeness, at now: Int64) -> [DeviceID] {
        var devices: [DeviceID] = []
        wake { state in
            switch completeness.mark(&state.ledger, at: now) {
            case .ask(let page): devices = page
            case .complete(let outcomes):
                for outcome in outcomes { state.inbox.put(outcome) }
                state.caughtUpAfter = state.inbox.count
            }
        }
        return devices
    }

    /// Takes a message.
    ///
    /// - Returns: Whether it means something new.
    func receive(_ payload: [UInt8], on topic: String, isRetained: Bool, expiry: UInt32?, at now: Int64) -> Bool {
        var isNew = false
        wake { state in
            let outcome = state.ledger.receive(payload, on: topic, isRetained: isRetained, expiry: expiry, at: now)
            isNew = outcome.event != nil || outcome.problem != nil
            state.inbox.put(outcome)
        }
        return isNew
    }

    // MARK: - The consumer

    /// The positions of the events that were taken, and confirmed if they have to be.
    package var positions: FleetPositions {
        var (ledger, inbox, unconfirmed) = state.withLock { ($0.ledger, $0.inbox, $0.unconfirmed) }
        unconfirmed?.append(inbox)
        return FleetPositions(of: ledger, without: unconfirmed ?? inbox)
    }

    /// Notes that all events that were taken have been dealt with.
    package func confirm() {
        state.withLock { if $0.unconfirmed != nil { $0.unconfirmed = FleetInbox() } }
    }

    /// What has arrived.
    package var ledger: Ledger { state.withLock { $0.ledger } }

    /// Takes the next event if one is due.
    ///
    /// - Throws: `FleetError` after the last event, if the broker refuses the reader.
    package func nextIfDue() throws(FleetError) -> FleetEvent? {
        try state.withLock { $0.take() }?.get() ?? nil
    }

    /// Waits for the next event; `nil` at the end, and in a cancelled task.
    ///
    /// An event is taken at the last moment: later ones are merged into it until then.
    func next(isolation: isolated (any Actor)?) async throws(FleetError) -> FleetEvent? {
        while !Task.isCancelled {
            if let result = state.withLock({ $0.take() }) { return try result.get() }
            await wait(isolation: isolation)
        }
        return nil
    }

    /// Ends the consumer's events at once; those that wait are discarded.
    func cancel() {
        wake { $0.isCancelled = true }
    }

    // MARK: - Waiting

    /// Makes a change, and resumes the consumers that wait.
    private func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            guard state.isDue else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
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
