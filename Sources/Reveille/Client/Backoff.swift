// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// How long to wait between attempts to reach a bus that is gone.
///
/// Pure.
struct Backoff {
    /// The first pause: a bus that is replaced is back within tens of milliseconds.
    static let shortest: Duration = .milliseconds(20)
    /// The longest: nobody notices that a bus is back later than this.
    static let longest: Duration = .seconds(2)

    private var base = Backoff.shortest

    /// The pause before the next attempt; each is twice as long as the one before.
    ///
    /// - Parameter fraction: 0 to 1, at random: a thousand clients of one bus do not all come back at once.
    /// - Returns: Half of it at least.
    mutating func next(fraction: Double) -> Duration {
        defer { base = min(Self.longest, base * 2) }
        return base * (0.5 + fraction / 2)
    }

    /// Begins anew, once a connection was good; that the bus accepts, or answers and ends, is not enough.
    mutating func reset() {
        base = Self.shortest
    }
}
