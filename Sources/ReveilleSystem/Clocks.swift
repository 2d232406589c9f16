// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// The clocks of the service, in microseconds.
package enum Clocks {
    /// Wall-clock time since 1970, UTC.
    package static func wall() -> Int64 {
        read(CLOCK_REALTIME)
    }

    /// Time since the start of the machine, the time asleep included; it never goes backwards.
    package static func boot() -> Int64 {
        read(CLOCK_BOOTTIME)
    }

    /// Time since the start of the machine as supervisors count it, without the time asleep.
    static func monotonic() -> Int64 {
        read(CLOCK_MONOTONIC)
    }

    /// Processor time of the thread that asks.
    package static func thread() -> Int64 {
        read(CLOCK_THREAD_CPUTIME_ID)
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
