// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting

/// A completed run of a program.
struct ProgramRun {
    let code: Int32
    let output: String
    let errors: String

    /// Runs `reveille` or another program until it exits.
    init(
        _ arguments: [String], program: String = BusProcess.program, in directory: TemporaryDirectory,
        environment: [String: String] = [:]
    ) throws {
        let output = open(directory.path + "/stdout", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        let errors = open(directory.path + "/stderr", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer {
            close(output)
            close(errors)
        }
        let all = ChildProcess.environment.merging(environment) { $1 }
        let process = try ChildProcess([program] + arguments, environment: all, descriptors: [1: output, 2: errors])
        code = process.wait()
        self.output = directory.read("stdout")
        self.errors = directory.read("stderr")
    }
}
