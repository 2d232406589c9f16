// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import Testing

/// Thousands of simulated lives of a bus.
@Suite(.timeLimit(.minutes(10))) struct SimulationTests {
    private static let steps = 200

    @Test("for any order of events, each client receives every state once", arguments: Seeds.ranges)
    func everyOrderKeepsTheGuarantees(seeds: ClosedRange<UInt64>) throws {
        try Seeds.run(seeds, of: "everyOrderKeepsTheGuarantees") { seed, directory in
            try Simulation(seed: seed, directory: directory, note: Seeds.note).run(steps: Self.steps)
        }
    }

    @Test(
        "for any order of events, tasks have their time, their holders are notified once, and the bus lists them",
        arguments: Seeds.ranges)
    func everyOrderKeepsTheTimeOfTasks(seeds: ClosedRange<UInt64>) throws {
        try Seeds.run(seeds, of: "everyOrderKeepsTheTimeOfTasks") { seed, _ in
            try TaskSimulation(seed: seed, note: Seeds.note).run(steps: Self.steps)
        }
    }
}
