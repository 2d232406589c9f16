// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting

/// A directory for runs of `reveille simulate`.
struct SimulateScene {
    /// A program that prints each level and its number of changes.
    static let python: [String] = {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        return ["python3", "/" + folder + "/Python/phone_program.py"]
    }()

    /// The directory with the scenario and the files `stdout` and `stderr`.
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    func simulate(_ scenario: String, options: [String] = [], _ command: [String]) throws -> ProgramRun {
        try directory.write(scenario, to: "scenario")
        let arguments = ["simulate"] + options + [directory.path + "/scenario", "--"] + command
        return try ProgramRun(arguments, in: directory)
    }

    /// Starts a program and returns its standard input.
    func start(
        _ scenario: String, _ command: [String], environment: [String: String] = [:]
    ) throws -> (process: ChildProcess, input: Pipe) {
        try directory.write(scenario, to: "scenario")
        let input = try Pipe()
        let output = open(directory.path + "/stdout", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let errors = open(directory.path + "/stderr", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer {
            close(output)
            close(errors)
        }
        let process = try ChildProcess(
            [BusProcess.program, "simulate", directory.path + "/scenario", "--"] + command,
            environment: ChildProcess.environment.merging(environment) { $1 },
            descriptors: [0: input.readingEnd, 1: output, 2: errors])
        return (process, input)
    }

    /// Waits until a file contains a text.
    func wait(for text: String, in file: String) throws {
        let deadline = Deadline(seconds: 60)
        while !directory.read(file).contains(text) {
            guard !deadline.hasPassed else {
                throw Trouble("\(file) does not contain \(text): \(directory.read(file))")
            }
            deadline.pause()
        }
    }
}
