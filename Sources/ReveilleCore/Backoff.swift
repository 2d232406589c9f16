// SPDX-License-Identifier: Apache-2.0

/// The growing pauses between attempts.
package struct Backoff: Sendable {
    private let shortest: Duration
    private let longest: Duration
    private let least: Double
    private var base: Duration

    /// Creates pauses that begin with the shortest.
    ///
    /// - Parameters:
    ///   - shortest: The first base.
    ///   - longest: The last base.
    ///   - least: The part of the base, from 0 to 1, that a pause has at least: 0 spreads the most clients.
    package init(from shortest: Duration, to longest: Duration, least: Double = 0.5) {
        self.shortest = shortest
        self.longest = longest
        self.least = least
        base = shortest
    }

    /// Returns the pause before the next attempt; the base doubles each time.
    ///
    /// - Parameter fraction: A random number from 0 to 1, so that a thousand clients do not return at once; 1 for the
    ///   only client.
    /// - Returns: The least part of the base at least, the base at most.
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
