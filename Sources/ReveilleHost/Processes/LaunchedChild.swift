// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc
package import ReveilleSystem

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

package enum ProcessSpawn {
    /// The process group and session of a program, and the terminal that belongs to them.
    package enum Group {
        /// This process's own.
        case shared
        /// A process group of its own, which does not receive a terminal's signals.
        case own
        /// A session of its own, without a terminal. The program ignores no signals.
        case session
    }

    /// Signals that nohup(1) ignores, or a shell for a background job: the program ignores them if this process does.
    private static let inheritedSignals = [SIGHUP, SIGINT, SIGQUIT]

    /// Starts a program with default signal handling, and returns its process ID; the caller waits for it.
    ///
    /// The program is looked up in `PATH` unless its path is known. The keys of `descriptors` are the numbers in the
    /// program; other descriptors from 0 to 2 are shared, and all others are closed.
    package static func spawn(
        _ arguments: [String], at path: String? = nil, environment: [String: String],
        descriptors: [Int32: Int32], group: Group
    ) throws(SystemError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (theirs, ours) in descriptors { posix_spawn_file_actions_adddup2(&actions, ours, theirs) }
        c_reveille_close_from(&actions, descriptors.keys.reduce(STDERR_FILENO, max) + 1)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var blocked = sigset_t()
        sigemptyset(&blocked)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        var reset = sigset_t()
        sigfillset(&reset)
        if group != .session { for signal in inheritedSignals { sigdelset(&reset, signal) } }
        posix_spawnattr_setsigdefault(&attributes, &reset)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (group == .own ? POSIX_SPAWN_SETPGROUP : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        if group == .session { c_reveille_spawn_in_session(&attributes) }

        let argv = arguments.map { strdup($0) } + [nil]
        let envp = environment.map { strdup($0 + "=" + $1) } + [nil]
        defer { for text in argv + envp { free(text) } }
        var pid: pid_t = 0
        let result = posix_spawnp(&pid, path ?? arguments[0], &actions, &attributes, argv, envp)
        guard result == 0 else { throw SystemError("posix_spawn", on: arguments[0], code: result) }
        return pid
    }
}
