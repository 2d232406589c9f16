// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleTesting
import Testing

/// Real programs that die in turns, driven by `kill.py`; `Scripts/fleet kill` has more rounds.
@Suite("the fleet", .blocking, .enabled(if: BridgeScene.isAvailable), .timeLimit(.minutes(5)))
struct FleetKillTests {
    private static let rounds = 10

    @Test("a reader counts no change twice while the bus, the bridge, the broker and itself are killed at random")
    func kill() throws {
        let directory = try TemporaryDirectory()
        let run = try ProgramRun(
            [
                "-B", Package.root + "/Tests/IntegrationTests/Fleet/kill.py", BusProcess.program, BridgeScene.program,
                BridgeScene.mosquitto, directory.path, "\(Self.rounds)",
            ], program: "/usr/bin/python3", in: directory)
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }
}
