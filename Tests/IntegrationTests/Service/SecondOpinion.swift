// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import ReveilleTesting

/// The random clients and the checker of `Tests/SecondOpinion`, which visit a bus until `finish()`.
final class SecondOpinion {
    private static let directory = Package.root + "/Tests/SecondOpinion/"

    private let run: RunningProgram
    private let input: Pipe

    static func run(_ program: String, _ arguments: [String], in directory: TemporaryDirectory) throws -> ProgramRun {
        try ProgramRun([self.directory + program] + arguments, program: "/usr/bin/python3", in: directory)
    }

    /// Starts random clients on a bus that may be restarted at any time.
    init(of bus: BusProcess, seed: UInt64) throws {
        input = try Pipe()
        run = try RunningProgram(
            [Self.directory + "run", "--address", bus.socket, "--seed", "\(seed)", "--programs", "2"],
            program: "/usr/bin/python3", in: bus.directory, descriptors: [0: input.readingEnd])
    }

    /// Ends the visit, while the bus is left in peace, and returns what the record shows; `nil` if it shows nothing wrong.
    func finish() -> String? {
        input.wake()
        return run.process.wait() == 0 ? nil : run.output + run.errors
    }
}
