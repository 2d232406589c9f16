// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc
import ReveilleSystem

/// A launched child process, which is reaped when it ends, and continues if its owner is released.
final class LaunchedChild {
    /// The process; `nil` if it has ended already.
    let identity: ProcessIdentity?
    private let pid: Int32
    private let descriptor: OwnedDescriptor
    private var source: EventSource?

    /// Starts a program in a session of its own, with an empty input and default signal handling.
    ///
    /// `ended` is called on the loop when the program has ended, with a phrase such as "exited with code 1".
    init(
        _ path: String, _ arguments: [String], adding additions: [String: String], loop: EventLoop,
        ended: @escaping (String) -> Void
    ) throws(SystemError) {
        let input = try OwnedDescriptor(opening: "/dev/null", O_RDONLY)
        let environment = Environment.all.merging(additions) { $1 }
        let pid = try ProcessSpawn.spawn(
            arguments, at: path, environment: environment, descriptors: [STDIN_FILENO: input.number],
            group: .session)
        // The ID is the child's until it is waited for, unless something else in this process waits for all children.
        let number = c_reveille_pidfd(pid)
        guard number >= 0 else {
            let error = SystemError("pidfd_open", on: path)
            // It would be started again while it runs.
            kill(pid, SIGKILL)
            _ = retryingOnInterrupt { waitpid(pid, nil, 0) }
            throw error
        }
        self.pid = pid
        identity = ProcessIdentity(of: pid)
        descriptor = OwnedDescriptor(number)
        try watch(loop, ended)
    }

    /// Follows a program that an earlier process has started; `nil` if it has ended, and throws if it may be running.
    ///
    /// `ended` is called on the loop when the program has ended, without its result.
    init?(
        adopting identity: ProcessIdentity, loop: EventLoop, ended: @escaping (String) -> Void
    ) throws(SystemError) {
        let number = c_reveille_pidfd(identity.pid)
        guard number >= 0 else {
            // The kernel reports other codes if the ID now belongs to a thread.
            if [ESRCH, EINVAL, ENOENT].contains(errno) { return nil }
            throw SystemError("pidfd_open", on: "process \(identity.pid)")
        }
        pid = identity.pid
        descriptor = OwnedDescriptor(number)
        // Read after the descriptor was opened, which therefore refers to this process.
        self.identity = ProcessIdentity(of: pid)
        guard self.identity == identity else {
            guard self.identity == nil,
                case .unreadable(let error) = FileContents.read("/proc/\(pid)/stat", limit: ProcessIdentity.longestFile),
                error.code != ESRCH
            else { return nil }
            throw error
        }
        try watch(loop, ended)
    }

    private func watch(_ loop: EventLoop, _ ended: @escaping (String) -> Void) throws(SystemError) {
        source = try loop.watch(descriptor.number, for: .readable) { [unowned self] _ in
            source?.cancel()
            ended(reap())
        }
    }

    deinit {
        // Before the descriptor is closed.
        source = nil
    }

    private func reap() -> String {
        var status: Int32 = 0
        guard retryingOnInterrupt({ waitpid(pid, &status, WNOHANG) }) == pid else { return "ended" }
        let signal = status & 0x7F
        return signal == 0 ? "exited with code \((status >> 8) & 0xFF)" : "was ended by signal \(signal)"
    }
}
