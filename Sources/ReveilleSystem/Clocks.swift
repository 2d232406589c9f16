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
    static func monotonic() -> Int64 {
        read(CLOCK_MONOTONIC)
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
