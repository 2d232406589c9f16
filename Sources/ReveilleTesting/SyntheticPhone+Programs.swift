// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// How a program ended that ran on a ``SyntheticPhone``.
public struct ProgramResult: Sendable, Hashable {
    /// Its exit code, or 128 and the signal that ended it.
    public let exitCode: Int32
    /// What it wrote to stdout.
    public let output: String
    /// What it wrote to stderr.
    public let errors: String
}

extension SyntheticPhone {
    /// What a program needs in its environment to run on this phone; the rest is that of this process.
    ///
    /// `HOME` and `XDG_RUNTIME_DIR` are the phone's, as this machine names them. The phone's bus is at its usual place
    /// in `XDG_RUNTIME_DIR` once ``startBus(configuration:)`` has started it, and `REVEILLE_ADDRESS` names it for
    /// programs of root, who would look for the bus of the machine. `REVEILLE_ROOT` is ``files``, so that
    /// `reveille doctor` and `reveille serve` look there too. What would lead to the real user's directories is left out.
    public var environment: [String: String] {
        var variables = testbed.environment.filter { name, _ in
            !(name.hasPrefix("XDG_") && (name.hasSuffix("_HOME") || name.hasSuffix("_DIR")))
        }
        variables["HOME"] = files + home
        variables["XDG_RUNTIME_DIR"] = runtime.path
        variables["REVEILLE_ADDRESS"] = address
        variables["REVEILLE_ROOT"] = files
        return variables
    }

    /// Runs a program on the phone, and waits until it has ended.
    ///
    /// - Parameters:
    ///   - arguments: The program, looked up in `PATH`, and its arguments. Its stdin is empty.
    ///   - environment: Variables beside those of ``environment``, or in their place.
    /// - Returns: How it ended and what it wrote.
    /// - Throws: `TestbedError` when it cannot be started.
    public func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws(TestbedError) -> ProgramResult {
        let scratch = try TemporaryDirectory()
        let input = try scratch.open("stdin")
        let output = try scratch.open("stdout")
        let errors = try scratch.open("stderr")
        defer { for descriptor in [input, output, errors] { close(descriptor) } }
        let process = try ChildProcess(
            arguments, environment: self.environment.merging(environment) { $1 },
            descriptors: [0: input, 1: output, 2: errors])
        return ProgramResult(
            exitCode: process.wait(), output: scratch.read("stdout"), errors: scratch.read("stderr"))
    }

    /// Where the phone's bus is.
    var address: String { "unix:" + runtime.path + Self.socket }

    /// The socket of a user's bus, in the directory of the user's sockets.
    static let socket = "/reveille/org.reveille.Bus"
}
