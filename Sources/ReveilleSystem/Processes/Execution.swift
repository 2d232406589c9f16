// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The execution of a program in place of the current one.
package enum Execution {
    /// Replaces the program of this process; returns only by throwing.
    ///
    /// The command is the last arguments of this process, at least one, and is looked up in `PATH`. A change to `nil`
    /// removes a variable from the environment.
    ///
    /// - Throws: `SystemError` with the name of the program.
    package static func replaceProcess(
        byLast count: Int, changing changes: [String: String?]
    ) throws(SystemError) -> Never {
        let name = ProcessArguments.all.suffix(count).first ?? ""
        let path = try ExecutableSearch.find(name)
        for (variable, value) in changes {
            if let value { setenv(variable, value, 1) } else { unsetenv(variable) }
        }
        // These are the original bytes, which may not be UTF-8.
        if let arguments = ProcessArguments.vector { execv(path, arguments + (ProcessArguments.count - count)) }
        throw SystemError("exec", on: name)
    }
}
