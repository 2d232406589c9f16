// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting

/// A run of `reveille-fleet`, whose stdout and stderr are files.
final class FleetProgram {
    let process: ChildProcess
    private let directory: TemporaryDirectory
    private let name = "run-" + String(UInt64.random(in: .min ... .max), radix: 16)

    init(_ arguments: [String], on broker: String?, in directory: TemporaryDirectory) throws {
        self.directory = directory
        let output = try directory.open(name)
        let errors = try directory.open(name + ".errors")
        defer { for file in [output, errors] { close(file) } }
        var environment = Environment.all
        environment["REVEILLE_BROKER"] = broker
        process = try ChildProcess(
            [ChildProcess.sibling("reveille-fleet")] + arguments, environment: environment,
            descriptors: [1: output, 2: errors])
    }

    var output: String { directory.read(name) }
    var errors: String { directory.read(name + ".errors") }

    /// Waits for the end, and returns the exit code, the output and the messages.
    static func run(
        _ arguments: [String], on broker: String?, in directory: TemporaryDirectory
    ) throws -> (code: Int32, output: String, errors: String) {
        let program = try FleetProgram(arguments, on: broker, in: directory)
        let code = program.process.wait()
        return (code, program.output, program.errors)
    }
}
