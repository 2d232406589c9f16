// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CReveilleLinux

/// Measures how long a call blocks the thread that makes it.
///
/// The time in which the thread is ready but another one has its processor does not count, unless the call sleeps too.
package struct BlockedTime: ~Copyable {
    private let start = Clocks.monotonic()
    private let worked = Clocks.thread()
    private let slept = c_reveille_sleeps()

    /// Starts to measure.
    package init() {}

    /// Returns the time since the start in microseconds.
    package func microseconds() -> Int64 {
        c_reveille_sleeps() == slept ? Clocks.thread() - worked : Clocks.monotonic() - start
    }
}
