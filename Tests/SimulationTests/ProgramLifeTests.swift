// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import Testing

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
