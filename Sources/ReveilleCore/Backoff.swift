// SPDX-License-Identifier: Apache-2.0

/// The growing pauses between attempts.
package struct Backoff: Sendable {
    private let shortest: Duration
    private let longest: Duration
    private let least: Double
    private var base: Duration

    /// Creates pauses whose base grows from the shortest to the longest.
    ///
    /// A pause is at least the fraction `least` of its base, from 0 to 1; 0 spreads clients the most.
    package init(from shortest: Duration, to longest: Duration, least: Double = 0.5) {
        self.shortest = shortest
        self.longest = longest
        self.least = least
        base = shortest
    }

    /// Returns the next pause, from the least fraction of the base up to the base, which then doubles.
    ///
    /// The fraction is random, from 0 to 1, so that a thousand clients do not return at once; 1 for the only client.
    package mutating func next(fraction: Double) -> Duration {
        defer { base = min(longest, base * 2) }
        return base * (least + (1 - least) * fraction)
    }

    /// Starts again with the shortest pause after a success that lasts.
    package mutating func reset() {
        base = shortest
    }

    /// Continues with the longest pause, because another attempt soon would do harm.
    package mutating func slowDown() {
        base = longest
    }
}
