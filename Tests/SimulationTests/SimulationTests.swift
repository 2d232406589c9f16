// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import Testing

/// Thousands of simulated lives of a bus.
@Suite(.timeLimit(.minutes(10))) struct SimulationTests {
    private static let steps = 200

    @Test("B25: for any order of events, each client receives every state once", arguments: Seeds.ranges)
    func everyOrderKeepsTheGuarantees(seeds: ClosedRange<UInt64>) throws {
        try Seeds.run(seeds, of: "everyOrderKeepsTheGuarantees") { seed, directory in
            try Simulation(seed: seed, directory: directory, note: Seeds.note).run(steps: Self.steps)
        }
    }
}

/// Programs that are suspended, woken and ended in any order, by a system that is slow, refuses, or does not answer.
@Suite(.timeLimit(.minutes(20))) struct ProgramLifeTests {
    private static let steps = 120

    @Test(
        "every order of suspensions, wakes and ends leaves programs running and up to date",
        arguments: Seeds.ranges)
    func livesEndWell(seeds: ClosedRange<UInt64>) throws {
        try Seeds.run(seeds, of: "livesEndWell") { seed, _ in try ProgramLife(seed: seed).run(Self.steps) }
    }
}
