// SPDX-License-Identifier: Apache-2.0

/// The growing pauses between attempts.
package struct Backoff: Sendable {
    private let shortest: Duration
    private let longest: Duration
    private var base: Duration

    package init(from shortest: Duration, to longest: Duration) {
        self.shortest = shortest
        self.longest = longest
        base = shortest
    }

    /// Returns the pause before the next attempt, from half of the base to the base, which doubles each time.
    ///
    /// The fraction is random, from 0 to 1, so that a thousand clients do not return at once; 1 for the only client.
    package mutating func next(fraction: Double) -> Duration {
        defer { base = min(longest, base * 2) }
        return base * (0.5 + fraction / 2)
    }

    /// Starts again with the shortest pause after a success that lasts.
    package mutating func reset() {
        base = shortest
    }
}
