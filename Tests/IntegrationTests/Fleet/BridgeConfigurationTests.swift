// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing

/// Where `reveille-fleet bridge` finds its configuration.
@Suite(.blocking, .enabled(if: geteuid() == 0, "only root can switch users"), .timeLimit(.minutes(5)))
struct BridgeConfigurationTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test("the bridge of a user reads the configuration of the user", arguments: [true, false])
    func usersOwn(hasConfigHome: Bool) throws {
        let program = try OtherUser.program(BridgeScene.program, in: directory)
        var environment = ["HOME": directory.path]
        if hasConfigHome { environment["XDG_CONFIG_HOME"] = directory.path }
        let run = try OtherUser.run([program, "bridge", "--check"], in: directory, environment: environment)
        let path = directory.path + (hasConfigHome ? "" : "/.config") + "/reveille/fleet.json5"
        #expect(run.code == 78 && run.errors.contains("open \(path): "), "\(run.errors)")
    }
}
