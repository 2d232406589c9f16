// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSimulation
import Testing

/// Thousands of lives of a broker, in made-up time.
@Suite(.timeLimit(.minutes(10))) struct SimulationTests {
    private static let steps = 200

    @Test("whatever happens in whatever order, each client ends at the truth, told once", arguments: Seeds.ranges)
    func everyOrderKeepsThePromise(seeds: ClosedRange<UInt64>) throws {
        try Seeds.run(seeds, of: "everyOrderKeepsThePromise") { seed, directory in
            try Simulation(seed: seed, directory: directory, note: Seeds.note).run(steps: Self.steps)
        }
    }
}
