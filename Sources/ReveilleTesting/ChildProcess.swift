// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem

/// A process that this one started, and ends by its id.
package final class ChildProcess {
    /// Its process id.
    package let pid: Int32
    /// How it ended, once that is known: an exit code, or 128 and the signal.
    package private(set) var exitCode: Int32?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: The program's path, looked up in `PATH`, and its arguments.
    ///   - environment: All of its environment.
    ///   - descriptors: Which of ours become which of its own; the others of 0 to 2 are shared.
    ///   - isApart: Whether the terminal's keys, Ctrl-C above all, are none of its business.
    /// - Throws: `TestbedError` when it cannot be started.
    package init(
        _ arguments: [String], environment: [String: String], descriptors: [Int32: Int32] = [:],
        isApart: Bool = false
    ) throws(TestbedError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (theirs, ours) in descriptors { posix_spawn_file_actions_adddup2(&actions, ours, theirs) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | (isApart ? POSIX_SPAWN_SETPGROUP : 0)))

        let argv = arguments.map { strdup($0) } + [nil]
        let envp = environment.map { strdup($0 + "=" + $1) } + [nil]
        defer { for text in argv + envp { free(text) } }
        var pid: pid_t = 0
        let result = posix_spawnp(&pid, arguments[0], &actions, &attributes, argv, envp)
        guard result == 0 else {
            throw TestbedError("posix_spawn \(arguments[0]): \(String(cString: strerror(result)))")
        }
        self.pid = pid
    }

    deinit {
        guard exitCode == nil else { return }
        kill(pid, SIGKILL)
        wait()
    }

    /// Sends a signal; nothing once the process has been waited for.
    package func signal(_ number: Int32) {
        if exitCode == nil { kill(pid, number) }
    }

    /// Whether it has ended by itself.
    package var hasEnded: Bool {
        if exitCode != nil { return true }
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return false }
        exitCode = Self.exitCode(status)
        return true
    }

    /// Whether a signal or a debugger has stopped it, and nothing has let it go on.
    package var isStopped: Bool {
        guard exitCode == nil, case .bytes(let bytes) = FileContents.read("/proc/\(pid)/stat", limit: 4_096) else {
            return false
        }
        // PID (NAME) STATE; the name may hold anything.
        let state = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.first { $0 != " " }
        return state == "T" || state == "t"
    }

    /// Waits until it has ended.
    @discardableResult
    package func wait() -> Int32 {
        if let exitCode { return exitCode }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        let code = Self.exitCode(status)
        exitCode = code
        return code
    }

    private static func exitCode(_ status: Int32) -> Int32 {
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// The environment of this process.
    package static var environment: [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            variables[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
            entry += 1
        }
        return variables
    }
}
