// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The time that a device waits for its bus.
package struct Patience: Sendable {
    /// For room in the queue of a bus that accepts no connections: one that works accepts within milliseconds.
    package var connect: Duration = .seconds(5)
    /// For a reply; the bus itself waits a second for a sensor.
    package var answer: Duration = .seconds(10)
    /// How long a good connection has held: after its loss, the pauses begin with the shortest again.
    ///
    /// As long as the longest pause: a bus that ends sooner each time is asked no more often than one that is gone.
    package var steady: Duration = Backoff.longest

    /// Creates the default; only tests need another.
    package init() {}

    /// Whether a connection that was made at a time, in microseconds since boot, is good at another.
    func isSteady(since start: Int64, at now: Int64) -> Bool {
        .microseconds(now - start) >= steady
    }
}
