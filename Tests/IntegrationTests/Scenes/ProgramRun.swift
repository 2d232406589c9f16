// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting

final class RunningProgram {
    let process: ChildProcess
    private let directory: TemporaryDirectory
    private let name = "run-" + String(UInt64.random(in: .min ... .max), radix: 16)

    init(
        _ arguments: [String], program: String = BusProcess.program, in directory: TemporaryDirectory,
        environment: [String: String] = [:], descriptors: [Int32: Int32] = [:]
    ) throws {
        self.directory = directory
        let output = try directory.open(name)
        let errors = try directory.open(name + ".errors")
        defer { for file in [output, errors] { close(file) } }
        process = try ChildProcess(
            [program] + arguments, environment: Environment.all.merging(environment) { $1 },
            descriptors: [1: output, 2: errors].merging(descriptors) { $1 })
    }

    var output: String { directory.read(name) }
    var errors: String { directory.read(name + ".errors") }

    /// The errors without the lines about a missing source: most buses of the tests have no devices.
    var reports: String {
        errors.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("reveille: waiting for a source of ") }.joined(separator: "\n")
    }

    /// Sends SIGTERM and returns the exit code.
    @discardableResult
    func stop() -> Int32 {
        process.signal(SIGTERM)
        return process.wait()
    }
}

struct ProgramRun {
    let code: Int32
    let output: String
    let errors: String

    init(
        _ arguments: [String], program: String = BusProcess.program, in directory: TemporaryDirectory,
        environment: [String: String] = [:]
    ) throws {
        let run = try RunningProgram(arguments, program: program, in: directory, environment: environment)
        code = run.process.wait()
        output = run.output
        errors = run.errors
    }
}
