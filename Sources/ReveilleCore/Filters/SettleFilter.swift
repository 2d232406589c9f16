// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Holds a new value back until it has stood for a while; the first one passes at once.
package struct SettleFilter<Value: Equatable & Sendable>: Sendable, Equatable {
    private struct Candidate: Equatable {
        var value: Value
        var since: Instant
    }

    private let settle: Duration
    private var told: Value?
    private var candidate: Candidate?

    /// Makes a filter that has told nothing.
    ///
    /// - Parameter settle: How long a new value must stand; 0 for not at all.
    package init(settle: Duration) {
        self.settle = settle
    }

    /// When ``expire(at:)`` has something to tell; `nil` while nothing is held back.
    package var deadline: Instant? {
        candidate.map { $0.since + settle }
    }

    /// Takes a value.
    ///
    /// - Parameters:
    ///   - value: What is so now.
    ///   - now: Since when.
    /// - Returns: What to tell now.
    package mutating func offer(_ value: Value, at now: Instant) -> Value? {
        guard let told else { return tell(value) }
        guard value != told else {
            candidate = nil
            return nil
        }
        if candidate?.value != value { candidate = Candidate(value: value, since: now) }
        return expire(at: now)
    }

    /// Tells what was held back, if it has stood for long enough.
    package mutating func expire(at now: Instant) -> Value? {
        guard let candidate, now >= candidate.since + settle else { return nil }
        return tell(candidate.value)
    }

    /// Tells a value without waiting: somebody asked for it.
    package mutating func tell(_ value: Value) -> Value {
        told = value
        candidate = nil
        return value
    }
}
