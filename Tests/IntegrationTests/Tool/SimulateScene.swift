// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import ReveilleTesting

/// A directory for runs of `reveille simulate`.
struct SimulateScene {
    /// A program that prints each level and its number of changes.
    static let python = ["python3", Package.python + "phone_program.py"]

    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    func simulate(_ scenario: String, options: [String] = [], _ command: [String]) throws -> ProgramRun {
        try directory.write(scenario, to: "scenario")
        let arguments = ["simulate"] + options + [directory.path + "/scenario", "--"] + command
        return try ProgramRun(arguments, in: directory)
    }

    /// Starts a program and returns it with its standard input.
    func start(
        _ scenario: String, _ command: [String], environment: [String: String] = [:]
    ) throws -> (run: RunningProgram, input: Pipe) {
        try directory.write(scenario, to: "scenario")
        let input = try Pipe()
        let run = try RunningProgram(
            ["simulate", directory.path + "/scenario", "--"] + command, in: directory, environment: environment,
            descriptors: [0: input.readingEnd])
        return (run, input)
    }
}
