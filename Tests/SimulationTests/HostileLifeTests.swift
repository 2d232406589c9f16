// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSimulation
import Testing

/// Thousands of lives of a broker among users who call whatever its interfaces offer, with values at their edges.
@Suite(.timeLimit(.minutes(10))) struct HostileLifeTests {
    private static let steps = 100

    @Test("whatever others call, send and leave unread, the honest are told the truth in time", arguments: Seeds.ranges)
    func nobodyDisturbsTheHonest(seeds: ClosedRange<UInt64>) throws {
        try Seeds.run(seeds, of: "nobodyDisturbsTheHonest") { seed, directory in
            let life = try HostileLife(
                choices: Choices(seed: seed), statePath: "\(directory)/\(seed).json", note: Seeds.note)
            defer { Seeds.keep(life.script, of: seed) }
            try life.run(steps: Self.steps)
        }
    }
}
