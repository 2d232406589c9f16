// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// The bus as judged by a checker that was written from the protocol alone: see `Tests/SecondOpinion`.
@Suite(.blocking, .timeLimit(.minutes(5))) struct SecondOpinionTests {
    @Test func `Random clients see what the protocol promises, and faults in their record are noticed`() throws {
        let directory = try TemporaryDirectory()
        // The first bus is left in peace, the second is restarted.
        let records = try [22, 40].map { seed in
            let record = directory.path + "/\(seed).jsonl"
            let arguments = ["--seed", "\(seed)", "--seconds", "3", "--steps", "200", "--keep", record]
            let life = try SecondOpinion.run("run", arguments + ["--program", BusProcess.program], in: directory)
            #expect(life.code == 0, "\(life.output) \(life.errors)")
            return record
        }
        let test = try SecondOpinion.run("selftest", records, in: directory)
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
