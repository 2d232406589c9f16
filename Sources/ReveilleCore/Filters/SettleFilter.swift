// SPDX-License-Identifier: Apache-2.0

/// Holds back a new value until it has lasted for some time; the first value passes immediately.
package struct SettleFilter<Value: Equatable & Sendable>: Sendable {
    private let settle: Duration
    private var reported: Value?
    private var candidate: (value: Value, since: Instant, settle: Duration)?

    /// Creates a filter with the time that a new value must last; 0 for no delay.
    package init(settle: Duration) {
        self.settle = settle
    }

    /// The time when ``expire(at:)`` returns a value; `nil` while none is held back.
    package var deadline: Instant? {
        candidate.map { $0.since + $0.settle }
    }

    /// Filters a value; returns the value if it is reported now, and `nil` if it is held back or not new.
    ///
    /// The limit is the longest time that this value must last, if shorter than the filter's own time.
    package mutating func offer(_ value: Value, at now: Instant, within limit: Duration? = nil) -> Value? {
        guard let reported else { return pass(value) }
        guard value != reported else {
            candidate = nil
            return nil
        }
        let settle = min(settle, limit ?? settle)
        let begun = candidate?.value == value ? candidate : nil
        candidate = (value, begun?.since ?? now, min(settle, begun?.settle ?? settle))
        return expire(at: now)
    }

    /// Returns the value that was held back, if it has lasted long enough.
    package mutating func expire(at now: Instant) -> Value? {
        guard let candidate, now >= candidate.since + candidate.settle else { return nil }
        return pass(candidate.value)
    }

    /// Passes a value without a delay, for a refresh.
    package mutating func pass(_ value: Value) -> Value {
        reported = value
        candidate = nil
        return value
    }
}
