// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import Testing

/// Thousands of simulated lives of a bus with hostile users and extreme values.
@Suite(.timeLimit(.minutes(10))) struct HostileUserTests {
    private static let steps = 100

    @Test("honest clients receive true states in time, whatever hostile users do", arguments: Seeds.ranges)
    func hostileUsersDoNotAffectHonestOnes(seeds: ClosedRange<UInt64>) throws {
        try Seeds.run(seeds, of: "hostileUsersDoNotAffectHonestOnes") { seed, directory in
            let life = try HostileLife(
                choices: Choices(seed: seed), statePath: "\(directory)/\(seed).json", note: Seeds.note)
            defer { Seeds.keep(life.script, of: seed) }
            try life.run(steps: Self.steps)
        }
    }
}
