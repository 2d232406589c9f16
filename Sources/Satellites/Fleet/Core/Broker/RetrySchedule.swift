// SPDX-License-Identifier: Apache-2.0

/// The pauses between attempts to reach a broker, so that a fleet does not return at once after an outage.
///
/// Each pause is random between 0 and a limit that doubles ("full jitter"). Of 100,000 devices, 3,333 connect in a
/// second after a short outage, and 333 after a long one. If the first limit were a second, all devices would connect
/// within a second after a short outage.
///
/// Pure.
package struct RetrySchedule: Sendable {
    /// The first limit, even after a start: devices on one power line start together.
    ///
    /// As long as the will's delay, so that devices that return at the first attempt are not reported as lost.
    package static let shortest: Duration = .seconds(30)
    /// The last limit: a broker that is back is noticed within five minutes.
    package static let longest: Duration = .seconds(300)

    /// The first limit for a broker on this machine, which serves no fleet; the first attempt has no pause.
    package static let shortestLocal: Duration = .seconds(1)
    /// The last limit for a broker on this machine.
    package static let longestLocal: Duration = .seconds(2)

    private let shortest: Duration
    private let longest: Duration
    private var limit: Duration

    /// Creates a schedule.
    ///
    /// - Parameters:
    ///   - isLocal: Whether the broker is on this machine, which is reached at once.
    ///   - longest: The last limit.
    package init(isLocal: Bool, longest: Duration = RetrySchedule.longest) {
        shortest = isLocal ? Self.shortestLocal : Self.shortest
        self.longest = longest
        limit = isLocal ? .zero : Self.shortest
    }

    /// Returns the pause before the next attempt; the limit doubles each time.
    ///
    /// - Parameter fraction: A random number from 0 to 1.
    /// - Returns: The pause.
    package mutating func next(fraction: Double) -> Duration {
        let pause = limit * fraction
        limit = min(longest, max(shortest, limit * 2))
        return pause
    }

    /// Starts again with the shortest limit after a connection that the broker accepted.
    package mutating func reset() { limit = shortest }

    /// Continues with the longest limit, because another attempt soon would do harm.
    package mutating func slowDown() { limit = longest }
}
