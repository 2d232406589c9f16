// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing

/// The bus as judged by a checker that was written from the protocol alone: see `Tests/SecondOpinion`.
@Suite(.blocking, .timeLimit(.minutes(5))) struct SecondOpinionTests {
    private func run(_ program: String, _ arguments: [String] = []) throws {
        let path = Package.root + "/Tests/SecondOpinion/" + program
        let run = try ProgramRun([path] + arguments, program: "/usr/bin/python3", in: TemporaryDirectory())
        #expect(run.code == 0, "\(run.output) \(run.errors)")
    }

    @Test(
        "random clients see what the protocol promises, of a bus left in peace and of one restarted",
        arguments: [22, 40])
    func randomClients(seed: Int) throws {
        try run("run", ["--seed", "\(seed)", "--seconds", "3", "--steps", "200", "--program", BusProcess.program])
    }

    @Test func `Each fault that is planted in a recorded life is noticed`() throws {
        try run("selftest")
    }
}
