// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// The processes that the children of this process leave behind.
package enum OrphanedProcesses {
    /// Makes the processes that children leave behind children of this process (`PR_SET_CHILD_SUBREAPER`).
    package static func adopt() throws(SystemError) {
        guard c_reveille_adopt_orphans() == 0 else { throw SystemError("prctl") }
    }

    /// Ends the children that the caller has not waited for, by SIGTERM and after a time by SIGKILL.
    package static func end(within grace: Duration) {
        let deadline = ContinuousClock.now + grace
        var children = reapAndList()
        var asked: Set<Int32> = []
        while !children.isEmpty {
            let isLate = ContinuousClock.now >= deadline
            for child in children where isLate || asked.insert(child).inserted {
                kill(child, isLate ? SIGKILL : SIGTERM)
                // A stopped process does not handle SIGTERM.
                kill(child, SIGCONT)
            }
            waitForChild(atMost: isLate ? grace : deadline - .now)
            children = reapAndList()
        }
    }

    /// Waits for SIGCHLD, which is pending if a child has ended before.
    private static func waitForChild(atMost time: Duration) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGCHLD)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let microseconds = EventLoop.microseconds(time)
        var limit = timespec(tv_sec: Int(microseconds / 1_000_000), tv_nsec: Int(microseconds % 1_000_000) * 1_000)
        sigtimedwait(&signals, nil, &limit)
    }

    /// Returns the children that have not ended.
    private static func reapAndList() -> [Int32] {
        while waitpid(-1, nil, WNOHANG) > 0 {}
        let processes = CgroupHierarchy.children(of: "/proc").compactMap { Int32($0) }
        return processes.filter { parent(of: $0) == getpid() }
    }

    /// Returns the parent of a process; `nil` if the process has ended.
    package static func parent(of process: Int32) -> Int32? {
        guard case .bytes(let bytes) = FileContents.read("/proc/\(process)/stat", limit: ProcessIdentity.longestFile)
        else { return nil }
        let fields = ProcessIdentity.fields(inStat: bytes)
        return fields.count > 1 ? Int32(fields[1]) : nil
    }
}
