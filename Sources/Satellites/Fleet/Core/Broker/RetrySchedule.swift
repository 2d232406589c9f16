// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The pauses between attempts to reach a broker, so that a fleet does not return at once after an outage.
///
/// Each pause is random between 0 and a limit that doubles ("full jitter"). A fleet of 100,000 devices then connects at
/// 333 a second at most, where pauses without this would bring waves.
///
/// Pure.
package struct RetrySchedule: Sendable {
    /// The first limit.
    package static let shortest: Duration = .seconds(1)
    /// The last limit: a broker that is back is noticed within five minutes.
    package static let longest: Duration = .seconds(300)
    /// The limit of the first pause after the start: devices that share a power line start together.
    package static let start: Duration = .seconds(30)

    /// The last limit for a broker on this machine, which has no fleet of its own.
    package static let longestLocal: Duration = .seconds(2)

    private let longest: Duration
    private var limit: Duration
    /// Whether no attempt was made yet.
    private var isFirst = true

    /// Creates a schedule.
    ///
    /// - Parameters:
    ///   - isLocal: Whether the broker is on this machine, which is reached at once.
    ///   - longest: The last limit.
    package init(isLocal: Bool, longest: Duration = RetrySchedule.longest) {
        self.longest = longest
        limit = isLocal ? .zero : Self.start
    }

    /// Returns the pause before the next attempt; the limit doubles each time.
    ///
    /// - Parameter fraction: A random number from 0 to 1.
    /// - Returns: The pause.
    package mutating func next(fraction: Double) -> Duration {
        let pause = limit * fraction
        limit = isFirst ? Self.shortest : min(longest, limit * 2)
        isFirst = false
        return pause
    }

    /// Starts again with the shortest limit after a connection that the broker accepted.
    package mutating func reset() {
        limit = Self.shortest
        isFirst = false
    }

    /// Continues with the longest limit, as another attempt soon would do harm.
    package mutating func slowDown() {
        limit = longest
        isFirst = false
    }
}
