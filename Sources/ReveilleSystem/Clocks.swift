// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// The system clocks, in microseconds.
package enum Clocks {
    /// Returns the wall-clock time since 1970, UTC.
    package static func wall() -> Int64 {
        read(CLOCK_REALTIME)
    }

    /// Returns the time since boot, including suspend; it never decreases.
    package static func boot() -> Int64 {
        read(CLOCK_BOOTTIME)
    }

    package static var isSynchronized: Bool { c_reveille_clock_is_synchronized() != 0 }

    /// Returns the time since boot without suspend, as supervisors measure it.
    package static func monotonic() -> Int64 {
        read(CLOCK_MONOTONIC)
    }

    /// Returns the time that the machine has slept since boot.
    package static func asleep() -> UInt64 {
        // An interruption between the readings would seem to be a sleep.
        let readings = (0..<3).map { _ in -monotonic() + boot() }
        return UInt64(max(0, readings.min() ?? 0))
    }

    /// Returns the processor time of the calling thread.
    package static func thread() -> Int64 {
        read(CLOCK_THREAD_CPUTIME_ID)
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}

/// Measures how long a call blocks its thread; waiting for a processor does not count, unless the call sleeps too.
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
