// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The pauses between attempts to reach a bus that is gone.
///
/// Pure.
package struct Backoff {
    /// The first pause: a bus that is replaced is back within tens of milliseconds.
    package static let shortest: Duration = .milliseconds(20)
    /// The longest pause: such a delay goes unnoticed after the bus is back.
    package static let longest: Duration = .seconds(2)

    private var base = Backoff.shortest

    /// Creates pauses that begin with the shortest.
    package init() {}

    /// Returns the pause before the next attempt; the base doubles each time.
    ///
    /// - Parameter fraction: A random number from 0 to 1, so that a thousand clients do not return at once.
    /// - Returns: Half of the base at least, the base at most.
    package mutating func next(fraction: Double) -> Duration {
        defer { base = min(Self.longest, base * 2) }
        return base * (0.5 + fraction / 2)
    }

    /// Starts again with the shortest pause after a good connection; one that was accepted, or that answered and
    /// ended, is not good.
    package mutating func reset() {
        base = Self.shortest
    }
}
