// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing

/// Thousands of lives of a broker, in made-up time.
///
/// `REVEILLE_SEED=N` runs one of them alone and prints what happens.
@Suite(.timeLimit(.minutes(10))) struct SimulationTests {
    private static let steps = 200
    private static let wanted = getenv("REVEILLE_SEED").flatMap { UInt64(String(cString: $0)) }
    /// Side by side, as many as there may be processors.
    private static let seeds =
        wanted.map { [$0...$0] } ?? stride(from: UInt64(0), to: 2_000, by: 500).map { $0 + 1...$0 + 500 }

    @Test("whatever happens in whatever order, each client ends at the truth, told once", arguments: seeds)
    func everyOrderKeepsThePromise(seeds: ClosedRange<UInt64>) throws {
        let directory = try TemporaryDirectory()
        for seed in seeds {
            do {
                try Simulation(seed: seed, directory: directory.path) { if Self.wanted != nil { print($0) } }
                    .run(steps: Self.steps)
            } catch {
                Issue.record("seed \(seed): \(error); run it alone with REVEILLE_SEED=\(seed)")
                return
            }
        }
    }
}
