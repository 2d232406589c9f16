// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux

/// Measures how long a call blocks the thread that makes it.
///
/// Time in which the thread is ready but another thread has the processor does not count, unless the call sleeps too.
package struct BlockedTime: ~Copyable {
    /// The longest duration in microseconds that is measured by only one clock, without a system call.
    private static let insignificant: Int64 = 1_000

    private let start = Clocks.monotonic()
    private let worked = Clocks.thread()
    private let slept = c_reveille_sleeps()

    package init() {}

    /// Returns the time since the start in microseconds; up to a millisecond, the wait for a processor is included.
    package func microseconds() -> Int64 {
        let elapsed = Clocks.monotonic() - start
        guard elapsed > Self.insignificant else { return elapsed }
        return c_reveille_sleeps() == slept ? Clocks.thread() - worked : elapsed
    }
}
