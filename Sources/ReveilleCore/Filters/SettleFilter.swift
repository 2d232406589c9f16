// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Holds back a new value until it has lasted for some time; the first value passes immediately.
package struct SettleFilter<Value: Equatable & Sendable>: Sendable {
    private let settle: Duration
    private var reported: Value?
    private var candidate: (value: Value, since: Instant)?

    /// Creates a filter with the time that a new value must last; 0 for no delay.
    package init(settle: Duration) {
        self.settle = settle
    }

    /// The time at which ``expire(at:)`` returns a value; `nil` while none is held back.
    package var deadline: Instant? {
        candidate.map { $0.since + settle }
    }

    /// Filters a value; returns it if it is reported now, and `nil` if it is held back or not new.
    package mutating func offer(_ value: Value, at now: Instant) -> Value? {
        guard let reported else { return pass(value) }
        guard value != reported else {
            candidate = nil
            return nil
        }
        if candidate?.value != value { candidate = (value, now) }
        return expire(at: now)
    }

    /// Returns the value that was held back, if it has lasted long enough.
    package mutating func expire(at now: Instant) -> Value? {
        guard let candidate, now >= candidate.since + settle else { return nil }
        return pass(candidate.value)
    }

    /// Passes a value without a delay, for a refresh.
    package mutating func pass(_ value: Value) -> Value {
        reported = value
        candidate = nil
        return value
    }
}
