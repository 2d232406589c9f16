// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// How long a device waits for its bus.
package struct Patience: Sendable {
    /// For room in the queue of a bus that accepts nobody: a bus that lives accepts within milliseconds.
    package var connect: Duration = .seconds(5)
    /// For an answer; the bus itself waits a second for a sensor.
    package var answer: Duration = .seconds(10)
    /// How long a good connection has held: pauses between attempts to get it back begin with the shortest.
    ///
    /// As long as the longest pause: a bus that ends sooner, each time, is asked no more often than one that
    /// is gone.
    package var steady: Duration = Backoff.longest

    /// What counts outside tests of time.
    package init() {}

    /// Says whether a connection that began at a time of ``Clocks/boot()`` was good.
    func isSteady(since start: Int64) -> Bool {
        .microseconds(Clocks.boot() - start) >= steady
    }
}
