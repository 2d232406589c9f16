// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// The resources that a running process uses, as reported by the kernel; 0 if it has ended.
struct ProcessUsage {
    let pid: Int32

    /// The resident memory in kilobytes.
    var residentMemory: Int { number("VmRSS", in: "status") }

    /// The resident memory in kilobytes that belongs to the process alone and is not on disk.
    var dirtyMemory: Int { number("Private_Dirty", in: "smaps_rollup") }

    /// How often a thread waited and was woken up.
    var wakeups: Int {
        CgroupHierarchy.children(of: "/proc/\(pid)/task").reduce(0) { count, thread in
            count + number("voluntary_ctxt_switches", in: "task/\(thread)/status")
        }
    }

    private func number(_ name: String, in file: String) -> Int {
        guard case .bytes(let text) = FileContents.read("/proc/\(pid)/\(file)", limit: 65_536) else { return 0 }
        let words = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return words.drop { $0 != name + ":" }.dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// The processor time of all its threads, in the kernel too, in nanoseconds.
    ///
    /// The process's own clock is exact, unlike the ticks in `/proc/PID/stat`.
    var processorTime: Int64 {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
