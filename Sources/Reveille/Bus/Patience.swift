// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// How long a device waits for its bus.
package struct Patience: Sendable {
    /// For room in the queue of a bus that accepts nobody: a bus that lives accepts within milliseconds.
    package var connect: Duration = .seconds(5)
    /// For an answer; the bus itself waits a second for a sensor.
    package var answer: Duration = .seconds(10)
    /// A connection that has held for so long was good: when it is lost, the first attempt to get it back comes at
    /// once. As long as the longest pause between two attempts.
    package var steady: Duration = Backoff.longest

    /// What counts outside tests of time.
    package init() {}
}
