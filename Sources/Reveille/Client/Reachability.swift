// SPDX-License-Identifier: Apache-2.0

/// Whether a bus answers, and when to try again; pure.
struct Reachability {
    let patience: Patience
    private(set) var state = ConnectionState.connected
    /// When the bus answered first, in microseconds since boot; `nil` since it was lost.
    private var reachedAt: Int64?
    private var isRetrying = false
    private var backoff = Backoff()

    init(patience: Patience) {
        self.patience = patience
    }

    /// Begins an attempt, and returns whether it is needed.
    mutating func retry(isConnected: Bool) -> Bool {
        isRetrying = false
        return !isConnected || state != .connected
    }

    /// Notes that a call was answered: a later loss begins with the shortest pause.
    mutating func answered() { backoff.reset() }

    /// Notes that the bus answers, and returns whether it did not before.
    mutating func reached(at now: Int64) -> Bool {
        if reachedAt == nil { reachedAt = now }
        defer { state = .connected }
        return state != .connected
    }

    mutating func lost(at now: Int64) {
        if let reachedAt, patience.isSteady(since: reachedAt, at: now) { backoff.reset() }
        reachedAt = nil
    }

    /// Notes that the bus was not reached, and returns the pause before the next attempt, unless one is due already.
    mutating func failed(_ error: ReveilleError, fraction: Double) -> Duration? {
        state = .disconnected(error)
        // A connection that is lost during an attempt is one failure.
        guard !isRetrying else { return nil }
        isRetrying = true
        return backoff.next(fraction: fraction)
    }
}
