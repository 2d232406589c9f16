// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// The execution of a program in place of the current one.
package enum Execution {
    /// Replaces the program of this process; returns only by throwing.
    ///
    /// - Parameters:
    ///   - arguments: The program, looked up in `PATH`, and its arguments; at least one.
    ///   - environment: The complete environment.
    /// - Throws: `SystemError` with the name of the program.
    package static func replaceProcess(
        by arguments: [String], environment: [String: String]
    ) throws(SystemError) -> Never {
        let path = try ExecutableSearch.find(arguments[0])
        let argv = arguments.map { strdup($0) } + [nil]
        let envp = environment.map { strdup($0 + "=" + $1) } + [nil]
        execve(path, argv, envp)
        let error = SystemError("exec", on: arguments[0])
        for text in argv + envp { free(text) }
        throw error
    }
}
