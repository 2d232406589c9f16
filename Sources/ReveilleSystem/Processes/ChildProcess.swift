// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A child process, which ends with its owner.
package final class ChildProcess {
    package let pid: Int32
    /// The exit code, or 128 plus the signal; `nil` until the process is known to have ended.
    package private(set) var exitCode: Int32?

    /// Starts a program (looked up in `PATH`) with its arguments, as `ProcessSpawn` does.
    ///
    /// `descriptors` are this process's descriptors by their numbers in the child; others from 0 to 2 are shared. A process
    /// that is apart is detached from the terminal's signals, such as Ctrl-C.
    package init(
        _ arguments: [String], environment: [String: String] = Environment.all, descriptors: [Int32: Int32] = [:],
        isApart: Bool = false
    ) throws(SystemError) {
        pid = try ProcessSpawn.spawn(
            arguments, environment: environment, descriptors: descriptors, group: isApart ? .own : .shared)
    }

    deinit {
        guard exitCode == nil else { return }
        kill(pid, SIGKILL)
        wait()
    }

    /// Sends a signal; does nothing after the process has been reaped.
    package func signal(_ number: Int32) {
        if exitCode == nil { kill(pid, number) }
    }

    package var hasEnded: Bool { reap(WNOHANG) != nil }

    /// Whether the process is stopped by a signal or a debugger.
    package var isStopped: Bool {
        guard exitCode == nil,
            case .bytes(let bytes) = FileContents.read("/proc/\(pid)/stat", limit: ProcessIdentity.longestFile)
        else { return false }
        return ["T", "t"].contains(ProcessIdentity.fields(inStat: bytes).first)
    }

    @discardableResult
    package func wait() -> Int32 { reap(0) ?? 0 }

    private func reap(_ options: Int32) -> Int32? {
        if let exitCode { return exitCode }
        var status: Int32 = 0
        guard retryingOnInterrupt({ waitpid(pid, &status, options) }) == pid else { return nil }
        let signal = status & 0x7F
        exitCode = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        return exitCode
    }

    /// Returns the path of a program in the directory of this process's program.
    package static func sibling(_ name: String) -> String {
        let path = realpath("/proc/self/exe", nil)
        defer { free(path) }
        let program = path.map { String(cString: $0) } ?? "/"
        // By bytes: a slash may form a character with the bytes after it.
        let end = program.utf8.lastIndex(of: UInt8(ascii: "/")) ?? program.startIndex
        return program[..<end] + "/" + name
    }
}
