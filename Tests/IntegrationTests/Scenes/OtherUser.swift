// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting

/// A user without privileges, as which only root can run programs.
enum OtherUser {
    static let id = "64123"

    /// Runs a program that every user can execute.
    static func run(
        _ command: [String], in directory: TemporaryDirectory, environment: [String: String] = [:]
    ) throws -> ProgramRun {
        chmod(directory.path, 0o755)
        return try ProgramRun(
            ["--reuid", id, "--regid", id, "--clear-groups"] + command, program: "setpriv", in: directory,
            environment: environment)
    }

    /// Returns the path of a copy of `reveille` or another program that every user can execute.
    static func program(_ original: String = BusProcess.program, in directory: TemporaryDirectory) throws -> String {
        let path = directory.path + "/program"
        try ChildProcess(["cp", original, path]).wait()
        chmod(path, 0o755)
        return path
    }
}
