// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// The resources that a running process uses, as reported by the kernel.
struct ProcessUsage {
    /// The process ID.
    let pid: Int32

    /// The resident memory in kilobytes; 0 if the process has ended.
    var residentMemory: Int {
        guard case .bytes(let text) = FileContents.read("/proc/\(pid)/statm", limit: 4_096) else { return 0 }
        let pages = String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst().first
        return (pages.flatMap { Int($0) } ?? 0) * 4
    }

    /// The resident memory in kilobytes that belongs to the process alone and is not on disk; 0 if it has ended.
    var dirtyMemory: Int {
        lines(of: "smaps_rollup").compactMap { Self.number(after: "Private_Dirty:", in: $0) }.first ?? 0
    }

    /// How often a thread waited and was woken up.
    var wakeups: Int {
        CgroupHierarchy.children(of: "/proc/\(pid)/task").reduce(0) { count, thread in
            let lines = lines(of: "task/\(thread)/status")
            return count + lines.compactMap { Self.number(after: "voluntary_ctxt_switches:", in: $0) }.reduce(0, +)
        }
    }

    private func lines(of file: String) -> [Substring] {
        guard case .bytes(let text) = FileContents.read("/proc/\(pid)/\(file)", limit: 65_536) else { return [] }
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
    }

    private static func number(after name: String, in line: Substring) -> Int? {
        guard line.hasPrefix(name) else { return nil }
        return line.dropFirst(name.count).split(whereSeparator: { " \t".contains($0) }).first.flatMap { Int($0) }
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
