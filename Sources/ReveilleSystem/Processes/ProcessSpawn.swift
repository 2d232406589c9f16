// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

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
        guard result == 0 else { throw SystemError("exec", on: arguments[0], code: result) }
        return pid
    }
}
