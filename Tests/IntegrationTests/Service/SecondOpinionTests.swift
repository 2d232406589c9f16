// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// The bus as judged by a checker that was written from the protocol alone: see `Tests/SecondOpinion`.
@Suite(.blocking, .timeLimit(.minutes(5))) struct SecondOpinionTests {
    @Test(
        "random clients see what the protocol promises, of a bus left in peace and of one restarted",
        arguments: [22, 40])
    func randomClients(seed: Int) throws {
        let arguments = ["--seed", "\(seed)", "--seconds", "3", "--steps", "200", "--program", BusProcess.program]
        let life = try SecondOpinion.run("run", arguments, in: TemporaryDirectory())
        #expect(life.code == 0, "\(life.output) \(life.errors)")
    }

    @Test func `Each fault that is planted in a recorded life is noticed`() throws {
        let test = try SecondOpinion.run("selftest", [], in: TemporaryDirectory())
        #expect(test.code == 0, "\(test.output) \(test.errors)")
    }

    @Test func `Random clients visit a bus that others restart`() throws {
        let bus = try BusProcess()
        let opinion = try SecondOpinion(of: bus, seed: 7)
        for end in [SIGKILL, SIGTERM, SIGKILL] {
            try wait(for: "subscriptions") {
                try !bus.client().call("ListSubscriptions").parameters.objects("subscriptions").isEmpty
            }
            bus.process.signal(end)
            try bus.restart()
        }
        #expect(opinion.finish() == nil)
    }
}
